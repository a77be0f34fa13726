// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayDelivery
package import TrackwayJournal

/// Stores retry states in a small file.
///
/// With these states, an app that starts often does not call a failing back end at each start.
///
/// Times are valid within one boot, so states of another boot are ignored. Nothing is flushed, and failures are
/// ignored: losing a state causes one early attempt. Only the process that delivers writes the file.
package final class RetryFile: RetryStateStore {
    private let file: StateFile<[DestinationID: RetryState]>
    private let states: Locked<[DestinationID: RetryState]>

    /// Reads the states of this boot.
    package init(folder: String, storage: any JournalStorage, boot: String) {
        file = StateFile("retry", in: folder, of: storage, format: .retry(boot: boot))
        states = Locked(file.storedValue ?? [:])
    }

    /// Returns the state stored for a destination in this boot.
    package func recall(_ destination: DestinationID) -> RetryState? {
        states.withLock { $0[destination] }
    }

    /// Stores a state; nil removes it.
    ///
    /// Writes only if something changed.
    package func store(_ state: RetryState?, for destination: DestinationID) {
        states.withLock { states in
            guard states[destination] != state else { return }
            states[destination] = state
            // A state that cannot be written causes one early attempt after a restart.
            try? file.write(states)
        }
    }
}

extension StateFormat where Value == [DestinationID: RetryState] {
    /// The format: states by destination, with the times of one boot.
    ///
    /// A state contains the number of failures, the time of the next attempt, the batch's rejections and failures, the
    /// time of the decision, the reason, and whether the back end specified the time.
    fileprivate static func retry(boot: String) -> StateFormat {
        StateFormat(
            bytes: { states in
                let members = states.sorted { $0.key < $1.key }.map { id, state in
                    var parts: [JSONValue] = [
                        .integer(Int64(state.failures)), .integer(state.notBefore.milliseconds),
                        .integer(Int64(state.attempts.refusals)), .integer(Int64(state.attempts.failures)),
                    ]
                    if let since = state.since { parts.append(.integer(since.milliseconds)) }
                    if let reason = state.reason {
                        if state.since == nil { parts.append(.null) }
                        parts += [.string(reason), .boolean(state.isNamedByBackEnd)]
                    }
                    return JSONValue.Object.Member(key: id.rawValue, value: .array(parts))
                }
                return JSONValue.object(
                    .init([
                        .init(key: "boot", value: .string(boot)),
                        .init(key: "destinations", value: .object(.init(members))),
                    ])
                ).json()
            },
            value: { bytes in
                let json = try JSONValue.parse(bytes)
                guard json["boot"]?.string == boot, let members = json["destinations"]?.object?.members else {
                    return [:]
                }
                var states: [DestinationID: RetryState] = [:]
                for member in members {
                    guard let id = DestinationID(member.key), let state = RetryState(member.value) else { continue }
                    states[id] = state
                }
                return states
            }
        )
    }
}

extension RetryState {
    fileprivate init?(_ json: JSONValue) {
        guard let members = json.array else { return nil }
        let parts = members.map(\.integer)
        guard parts.count >= 2, let failures = parts[0], let notBefore = parts[1] else { return nil }
        // Older files do not contain attempts.
        let attempts = parts[2...].prefix(2).map { Int(clamping: $0 ?? 0) }
        self.init(
            failures: Int(clamping: failures),
            notBefore: MonotonicTime(milliseconds: notBefore),
            attempts: attempts.count == 2 ? Attempts(refusals: attempts[0], failures: attempts[1]) : Attempts(),
            since: parts.count > 4 ? parts[4].map { MonotonicTime(milliseconds: $0) } : nil,
            reason: members.count > 5 ? members[5].string : nil,
            isNamedByBackEnd: members.count > 6 ? members[6].boolean ?? false : false
        )
    }
}
