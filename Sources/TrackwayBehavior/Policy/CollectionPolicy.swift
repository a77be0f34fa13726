// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Limits what may be collected, independently of consent.
///
/// The app has one policy, a back end may send another, and both apply: neither allows what the other forbids.
public struct CollectionPolicy: Sendable, Hashable {
    /// Whether anything is collected.
    public var isOn: Bool
    /// The names of events that are not recorded.
    public var blockedEvents: Set<String>
    /// The events that the SDK may record automatically.
    public var capture: CaptureOptions

    /// Creates a policy that allows everything by default.
    public init(
        isOn: Bool = true,
        blockedEvents: Set<String> = [],
        capture: CaptureOptions = CaptureOptions(rawValue: .max)
    ) {
        self.isOn = isOn
        self.blockedEvents = blockedEvents
        self.capture = capture
    }

    /// Whether the policy blocks anything, so that recording must check it.
    public var blocksAnything: Bool { !isOn || !blockedEvents.isEmpty }

    /// Whether an event of this name may be recorded.
    public func allows(_ event: String) -> Bool { isOn && !blockedEvents.contains(event) }

    /// Returns the policy that allows only what both allow.
    public func merging(_ other: CollectionPolicy) -> CollectionPolicy {
        CollectionPolicy(
            isOn: isOn && other.isOn,
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
            isOn: json["on"]?.boolean ?? true,
            blockedEvents: Set((json["blocked"]?.array ?? []).compactMap(\.string)),
            capture: json["capture"]?.integer.map { CaptureOptions(rawValue: Int(truncatingIfNeeded: $0)) } ?? .all
        )
    }

    /// The policy in its stored form.
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
