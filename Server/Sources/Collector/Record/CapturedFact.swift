// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What a captured event says of how an app was used, as every store reads it.
public enum CapturedFact: Sendable, Hashable {
    /// A screen was shown; the one before had been used for so long, in milliseconds, if that is said.
    case screen(StoredScreen, before: Int64?)
    /// The screen, or whichever it was, was used for so long, in milliseconds.
    case engagement(screen: String?, Int64)
    /// An element was clicked, by the name it goes by; the screen is empty when it is not known.
    case click(element: String, type: String?, screen: String)
    /// The app started, ended or crashed.
    case launch(StoredLaunch)

    /// Reads an event.
    ///
    /// - Parameters:
    ///   - values: Its attributes.
    ///   - facts: What its context says.
    ///   - time: When it happened.
    /// - Returns: nil when it says nothing of the kind.
    public init?(_ kind: CapturedKind, _ values: JSONValue.Object, _ facts: ContextFacts, at time: Timestamp) {
        switch kind {
        case .screen:
            guard let screen = values[CapturedKey.screenName]?.string ?? facts.screen else { return nil }
            self = .screen(
                StoredScreen(
                    time: time,
                    name: screen,
                    id: values[CapturedKey.screenID]?.string ?? facts.screenID,
                    uniqueID: values[CapturedKey.screenUniqueID]?.string ?? facts.screenUniqueID,
                    engagement: 0
                ),
                before: Self.engagement(values)
            )
        case .engagement:
            guard let engagement = Self.engagement(values) else { return nil }
            self = .engagement(screen: facts.screen, engagement)
        case .click:
            // Under the name that tells most: its own, what stands on it, its kind.
            let names = [CapturedKey.elementID, CapturedKey.elementContent, CapturedKey.elementType]
            guard let element = names.lazy.compactMap({ values[$0]?.string }).first(where: { !$0.isEmpty }) else {
                return nil
            }
            self = .click(
                element: element,
                type: values[CapturedKey.elementType]?.string,
                screen: values[CapturedKey.screenName]?.string ?? facts.screen ?? ""
            )
        case .start, .end, .crash:
            self = .launch(
                StoredLaunch(
                    time: time,
                    kind: kind == .start ? values[CapturedKey.startKind]?.string ?? "start" : kind.rawValue,
                    isFirst: values[CapturedKey.isFirstStart]?.boolean ?? false,
                    isRecovered: values[CapturedKey.isRecovered]?.boolean ?? false,
                    duration: kind == .end ? CapturedKind.duration(values[CapturedKey.foregroundDuration]) : nil
                )
            )
        case .set, .setOnce, .increment, .append, .unset, .delete, .properties, .state:
            return nil
        }
    }

    private static func engagement(_ values: JSONValue.Object) -> Int64? {
        CapturedKind.duration(values[CapturedKey.engagementTime]).flatMap { $0 > 0 ? $0 : nil }
    }
}

/// What a context tells of when a session began. A session begins with the first of its events, or, where these come with a context
/// that says so, when that says; the number is the first one told.
public struct SessionBeginning: Sendable, Hashable {
    /// When it began, if that is known.
    public let start: Timestamp?
    /// Its number among the sessions of its installation, from 1; nil when the client does not count.
    public let ordinal: Int64?

    /// What a context says of a session that an event names; nothing when it is about another one.
    public init(_ session: String?, _ facts: ContextFacts) {
        let isKnown = session.map { id in facts.session.map { $0.utf8.elementsEqual(id.utf8) } ?? false } ?? false
        start = isKnown ? facts.sessionStart : nil
        // A client that does not count says nothing, or 0.
        ordinal = isKnown ? facts.sessionNumber.flatMap { $0 > 0 ? $0 : nil } : nil
    }
}
