// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The limits on data collection, independent of consent.
///
/// The app has one policy, a back end may send another, and both apply: neither allows what the other forbids.
public struct CollectionPolicy: Sendable, Hashable {
    /// Whether anything is collected.
    public var isEnabled: Bool
    /// The names of events that are not recorded.
    public var blockedEvents: Set<String>
    /// The events that the SDK may record automatically.
    public var capture: CaptureOptions

    /// Creates a policy that allows everything by default.
    public init(
        isEnabled: Bool = true,
        blockedEvents: Set<String> = [],
        capture: CaptureOptions = CaptureOptions(rawValue: .max)
    ) {
        self.isEnabled = isEnabled
        self.blockedEvents = blockedEvents
        self.capture = capture
    }

    /// Whether the policy blocks anything, so that recording must check it.
    public var blocksAnything: Bool { !isEnabled || !blockedEvents.isEmpty }

    /// Returns whether an event with this name may be recorded.
    public func allows(_ event: String) -> Bool { isEnabled && !blockedEvents.contains(event) }

    /// Returns the policy that allows only what both allow.
    public func merging(_ other: CollectionPolicy) -> CollectionPolicy {
        CollectionPolicy(
            isEnabled: isEnabled && other.isEnabled,
            blockedEvents: blockedEvents.union(other.blockedEvents),
            capture: capture.intersection(other.capture)
        )
    }
}

extension CaptureOptions {
    /// All current and future options.
    package static let all = CaptureOptions(rawValue: .max)
}

extension CollectionPolicy {
    /// Reads JSON that ``json`` wrote.
    ///
    /// - Throws: `JSONError` when the JSON is invalid.
    package init(json: JSONValue) throws(JSONError) {
        guard json.object != nil else { throw .stateInvalid }
        self.init(
            isEnabled: json["on"]?.boolean ?? true,
            blockedEvents: Set((json["blocked"]?.array ?? []).compactMap(\.string)),
            capture: json["capture"]?.integer.map { CaptureOptions(rawValue: Int(truncatingIfNeeded: $0)) } ?? .all
        )
    }

    /// The policy in its stored form.
    package var json: JSONValue {
        .object(
            .init(present: [
                "on": isEnabled ? nil : .boolean(false),
                "blocked": blockedEvents.isEmpty ? nil : .array(blockedEvents.ordered().map { .string($0) }),
                "capture": capture == .all ? nil : .integer(Int64(capture.rawValue)),
            ])
        )
    }
}
