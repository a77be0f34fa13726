// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What may be collected at all, apart from what people agreed to. The app has one, a back-end may send another, and both
/// hold: neither allows what the other forbids.
public struct CollectionPolicy: Sendable, Hashable {
    /// Whether anything is collected.
    public var isOn: Bool
    /// The names of events that are not recorded.
    public var blockedEvents: Set<String>
    /// What the SDK may record by itself.
    public var capture: CaptureOptions

    /// A policy; one that allows everything when nothing is given.
    public init(
        isOn: Bool = true,
        blockedEvents: Set<String> = [],
        capture: CaptureOptions = CaptureOptions(rawValue: .max)
    ) {
        self.isOn = isOn
        self.blockedEvents = blockedEvents
        self.capture = capture
    }

    /// Whether recording has to ask it.
    public var blocksAnything: Bool { !isOn || !blockedEvents.isEmpty }

    /// Whether an event of this name may be recorded.
    public func allows(_ event: String) -> Bool { isOn && !blockedEvents.contains(event) }

    /// What is allowed by both.
    public func merging(_ other: CollectionPolicy) -> CollectionPolicy {
        CollectionPolicy(
            isOn: isOn && other.isOn,
            blockedEvents: blockedEvents.union(other.blockedEvents),
            capture: capture.intersection(other.capture)
        )
    }
}

extension CaptureOptions {
    /// Every option there is and may ever be.
    package static let all = CaptureOptions(rawValue: .max)
}

extension CollectionPolicy {
    /// Reads what ``json`` wrote.
    ///
    /// - Throws: `JSONError` when it is not what was written.
    package init(json: JSONValue) throws(JSONError) {
        guard json.object != nil else { throw .stateInvalid }
        self.init(
            isOn: json["on"]?.boolean ?? true,
            blockedEvents: Set((json["blocked"]?.array ?? []).compactMap(\.string)),
            capture: json["capture"]?.integer.map { CaptureOptions(rawValue: Int(truncatingIfNeeded: $0)) } ?? .all
        )
    }

    /// The policy as it is stored.
    package var json: JSONValue {
        .object(
            .init(present: [
                "on": isOn ? nil : .boolean(false),
                "blocked": blockedEvents.isEmpty ? nil : .array(blockedEvents.sorted().map { .string($0) }),
                "capture": capture == .all ? nil : .integer(Int64(capture.rawValue)),
            ])
        )
    }
}
