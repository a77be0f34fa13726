// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
package import TrackwayEvents
internal import TrackwayJournal

/// The decisions of the administrator and the users.
package struct UsageDecisions: Sendable, Hashable, Codable {
    /// Whether data is collected; nil until decided.
    package var collection: Bool?
    /// Whether each user gave consent or withdrew it, by user ID.
    package var consents: [String: Bool] = [:]

    /// The number of times each user withdrew consent, by user ID.
    ///
    /// A store applies a withdrawal once, no matter when it is opened.
    package var withdrawals: [String: UInt64]?
    /// The withdrawals that custom stores applied, by user ID and store class.
    package var carriedOut: [String: UInt64]?

    /// Creates a value without any decision.
    package init() {}

    /// Saves a user's decision.
    package mutating func decide(_ consent: Bool, of user: String) {
        // Files of earlier versions contain no count.
        let former = withdrawals?[user] ?? (consents[user] == false ? 1 : 0)
        let count = consent ? former : former + 1
        consents[user] = consent
        if count > 0 { withdrawals = (withdrawals ?? [:]).merging([user: count]) { $1 } }
    }

    /// The number of a user's last withdrawal, or nil without one.
    package func withdrawal(of user: String) -> UInt64? {
        withdrawals?[user] ?? (consents[user] == false ? 1 : nil)
    }

    /// Returns why a user's report is not stored.
    ///
    /// Returns nil if it is. Reports are stored until decided otherwise.
    ///
    /// - Parameter user: the user; nil if no user is known.
    package func refusal(for user: String?) -> DropReason? {
        if collection == false { return .disabled }
        return hasWithdrawn(user) ? .consentDenied : nil
    }

    /// Whether a user withdrew consent.
    package func hasWithdrawn(_ user: String?) -> Bool {
        user.map { consents[$0] == false } ?? false
    }

    /// Whether a user's records may be sent.
    package func maySend(of user: String?) -> Bool {
        collection == true && user.map { consents[$0] == true } ?? false
    }
}

/// The file that persists the decisions.
///
/// If two processes decide at the same time, both decisions are kept. A decision that cannot be saved still applies to
/// this process.
struct UsageDecisionsFile: Sendable {
    private let file: StateFile<UsageDecisions>
    private let dependencies: Dependencies

    init(in environment: UsageEnvironment) throws(TrackwayError) {
        dependencies = try environment.dependencies()
        file = StateFile("decisions", in: dependencies.folder, of: dependencies.storage, format: .json)
    }

    /// Returns the saved decisions.
    ///
    /// Returns nil if they cannot be read or decoded now.
    func read() -> UsageDecisions? {
        // Callers continue with the decisions they know.
        switch try? file.read() {
        case .kept(let decisions, _): decisions
        case .nothing: UsageDecisions()
        case .damaged, nil: nil
        }
    }

    /// Changes the decisions durably.
    ///
    /// - Parameter known: the decisions in effect in this process, in case the file cannot be read.
    /// - Returns: the decisions now in effect.
    /// - Throws: if they could not be saved.
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
