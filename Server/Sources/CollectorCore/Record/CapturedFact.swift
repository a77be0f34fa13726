// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The app usage that a captured event reports.
///
/// Every store reads app usage in this form.
public enum CapturedFact: Sendable, Hashable {
    /// A screen was shown.
    ///
    /// `before` is the usage time of the previous screen in milliseconds, if reported.
    case screen(StoredScreen, before: Int64?)
    /// A screen was used for this many milliseconds.
    ///
    /// `screen` is nil if the time belongs to whichever screen was shown.
    case engagement(screen: String?, Int64)
    /// An element was clicked.
    ///
    /// `element` is the name that identifies it; the screen is empty if unknown.
    case click(element: String, type: String?, screen: String)
    /// The app started, ended or crashed.
    case launch(StoredLaunch)

    /// Reads an event.
    ///
    /// - Parameters:
    ///   - values: The event's attributes.
    ///   - facts: The facts of the event's context.
    ///   - time: When the event happened.
    /// - Returns: Nil if the event reports no app usage.
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
            // Use the most specific name: the element's id, its content, its type.
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
        case .set, .setOnce, .increment, .append, .unset, .delete, .properties, .state, .alias:
            return nil
        }
    }

    private static func engagement(_ values: JSONValue.Object) -> Int64? {
        CapturedKind.duration(values[CapturedKey.engagementTime]).flatMap { $0 > 0 ? $0 : nil }
    }
}

/// The beginning of a session, as reported by a context.
///
/// A session begins with its first event, or, if its events have a context with a session start, at that time. The
/// session's number is the first one reported.
public struct SessionBeginning: Sendable, Hashable {
    /// When the session began, if known.
    public let start: Timestamp?
    /// The session's number within its installation, from 1.
    ///
    /// Nil if the client does not count sessions.
    public let ordinal: Int64?

    /// Reads the beginning of `session` from a context.
    ///
    /// Empty if the context is about another session.
    public init(_ session: String?, _ facts: ContextFacts) {
        let isKnown = session.map { id in facts.session.map { $0.utf8.elementsEqual(id.utf8) } ?? false } ?? false
        start = isKnown ? facts.sessionStart : nil
        // A client that does not count sessions sends no number, or 0.
        ordinal = isKnown ? facts.sessionNumber.flatMap { $0 > 0 ? $0 : nil } : nil
    }
}
