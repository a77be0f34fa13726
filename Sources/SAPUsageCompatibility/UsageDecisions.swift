// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
package import TrackwayEvents
internal import TrackwayJournal

/// What the administrator and the persons decided, and what follows.
package struct UsageDecisions: Sendable, Hashable, Codable {
    /// Whether data is collected; nil as long as nobody said.
    package var collection: Bool?
    /// Who consented, or took consent back, by the persons' ids.
    package var consents: [String: Bool] = [:]

    /// How often persons withdrew consent, by their ids. A store carries a withdrawal out once, whenever it is opened.
    package var withdrawals: [String: UInt64]?
    /// The withdrawals that stores of the app's own carried out, by the persons' ids and the stores' classes.
    package var carriedOut: [String: UInt64]?

    /// No decision yet.
    package init() {}

    /// Records what a person decided.
    package mutating func decide(_ consent: Bool, of user: String) {
        // Files of earlier versions do not count.
        let former = withdrawals?[user] ?? (consents[user] == false ? 1 : 0)
        let count = consent ? former : former + 1
        consents[user] = consent
        if count > 0 { withdrawals = (withdrawals ?? [:]).merging([user: count]) { $1 } }
    }

    /// The number of a person's last withdrawal; nil when there was none.
    package func withdrawal(of user: String) -> UInt64? {
        withdrawals?[user] ?? (consents[user] == false ? 1 : nil)
    }

    /// Why a report of a person is not stored; nil when it is. What was never decided is stored.
    ///
    /// - Parameter user: the person; nil for nobody known.
    package func refusal(for user: String?) -> DropReason? {
        if collection == false { return .disabled }
        return hasWithdrawn(user) ? .consentDenied : nil
    }

    /// Whether a person took consent back.
    package func hasWithdrawn(_ user: String?) -> Bool {
        user.map { consents[$0] == false } ?? false
    }

    /// Whether records of a person may be sent.
    package func maySend(of user: String?) -> Bool {
        collection == true && user.map { consents[$0] == true } ?? false
    }
}

/// The file that keeps the decisions from one process to the next.
///
/// Of two processes that decide at the same time, both decisions are kept. What cannot be written counts for this process.
struct UsageDecisionsFile: Sendable {
    private let file: StateFile<UsageDecisions>
    private let dependencies: Dependencies

    init(in environment: UsageEnvironment) throws(TrackwayError) {
        dependencies = try environment.dependencies()
        file = StateFile("decisions", in: dependencies.folder, of: dependencies.storage, format: .json)
    }

    /// What was decided; nil when it cannot be read or understood now.
    func read() -> UsageDecisions? {
        // Who asks goes on with what is known.
        switch try? file.read() {
        case .kept(let decisions, _): decisions
        case .nothing: UsageDecisions()
        case .damaged, nil: nil
        }
    }

    /// Changes what was decided, durably.
    ///
    /// - Parameter known: what counts in this process, in case the file cannot be read.
    /// - Returns: what counts now.
    /// - Throws: when it could not be written down.
    func change(
        _ known: UsageDecisions,
        _ body: (inout UsageDecisions) -> Void
    ) throws(StorageError) -> UsageDecisions {
        var decisions = known
        let isOurTurn = try file.exclusively(.few) { () throws(StorageError) in
            decisions = read() ?? known
            body(&decisions)
            try dependencies.storage.makeFolder(dependencies.folder)
            try file.write(decisions)
            try file.synchronize()
        }
        guard isOurTurn else { throw file.notOurTurn }
        return decisions
    }
}
