// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A row of the usage table: a screen, a click, or an app start or end.
struct UsageRow: Sendable, Hashable {
    /// The kinds of rows.
    enum Kind: UInt8 {
        case screen = 0
        case engagement = 1
        case click = 2
        case launch = 3
    }

    /// Bits that indicate which values a row contains.
    private enum Flag {
        /// One bit for each of `name`, `detail`, `more`, and `number`: whether the row has that value.
        static let name: UInt8 = 1
        static let detail: UInt8 = 2
        static let more: UInt8 = 4
        static let number: UInt8 = 8
        static let first: UInt8 = 16
        static let recovered: UInt8 = 32
    }

    let kind: UInt8
    let name: String
    let detail: String
    let more: String
    let number: Int64
    let flags: UInt8

    /// Creates a row from values read from the table.
    init(kind: UInt8, name: String, detail: String, more: String, number: Int64, flags: UInt8) {
        (self.kind, self.name, self.detail) = (kind, name, detail)
        (self.more, self.number, self.flags) = (more, number, flags)
    }

    private init(
        _ kind: Kind,
        _ name: String?,
        _ detail: String? = nil,
        _ more: String? = nil,
        number: Int64? = nil,
        flags: UInt8 = 0
    ) {
        self.init(
            kind: kind.rawValue,
            name: name ?? "",
            detail: detail ?? "",
            more: more ?? "",
            number: number ?? 0,
            flags: flags | (name == nil ? 0 : Flag.name) | (detail == nil ? 0 : Flag.detail)
                | (more == nil ? 0 : Flag.more) | (number == nil ? 0 : Flag.number)
        )
    }

    /// Creates the row for a captured fact.
    init(_ fact: CapturedFact) {
        switch fact {
        case .screen(let screen, let before):
            self.init(.screen, screen.name, screen.id, screen.uniqueID, number: before)
        case .engagement(let screen, let engagement):
            self.init(.engagement, screen, number: engagement)
        case .click(let element, let type, let screen):
            self.init(.click, element, type, screen)
        case .launch(let launch):
            let flags = (launch.isFirst ? Flag.first : 0) | (launch.isRecovered ? Flag.recovered : 0)
            self.init(.launch, launch.kind, number: launch.duration, flags: flags)
        }
    }

    /// Returns the captured fact; nil for an unknown kind.
    ///
    /// - Parameter time: The time of the fact.
    func fact(at time: Timestamp) -> CapturedFact? {
        func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
        let number = has(Flag.number) ? number : nil
        switch Kind(rawValue: kind) {
        case .screen:
            return .screen(
                StoredScreen(
                    time: time,
                    name: name,
                    id: has(Flag.detail) ? detail : nil,
                    uniqueID: has(Flag.more) ? more : nil,
                    engagement: 0
                ),
                before: number
            )
        case .engagement: return .engagement(screen: has(Flag.name) ? name : nil, number ?? 0)
        case .click: return .click(element: name, type: has(Flag.detail) ? detail : nil, screen: more)
        case .launch:
            return .launch(
                StoredLaunch(
                    time: time,
                    kind: name,
                    isFirst: has(Flag.first),
                    isRecovered: has(Flag.recovered),
                    duration: number
                )
            )
        case nil: return nil
        }
    }
}
