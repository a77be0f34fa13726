// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
package import TrackwayCore
internal import TrackwayJournal

/// The decisions of the administrator and the users.
package struct UsageDecisions: Sendable, Hashable, Codable {
    /// Whether data is collected; nil until decided.
    package var collection: Bool?
    /// Whether each user gave consent or withdrew it, by user ID.
    package var consents: [String: Bool] = [:]

    /// The number of times each user withdrew consent, by user ID.
    ///
    /// A store applies each withdrawal once, regardless of when it is opened.
    package var withdrawals: [String: UInt64]?
    /// The withdrawals that custom stores applied, by user ID and store class.
    package var carriedOut: [String: UInt64]?

    /// Creates a value without any decision.
    package init() {}

    /// Saves a user's decision.
    package mutating func setConsent(_ consent: Bool, of user: String) {
        // Files of earlier versions contain no count.
        let previous = withdrawals?[user] ?? (consents[user] == false ? 1 : 0)
        let count = consent ? previous : previous + 1
        consents[user] = consent
        if count > 0 { withdrawals = (withdrawals ?? [:]).merging([user: count]) { $1 } }
    }

    /// Returns the number of a user's last withdrawal; nil if none.
    package func withdrawal(of user: String) -> UInt64? {
        withdrawals?[user] ?? (consents[user] == false ? 1 : nil)
    }

    /// Returns the reason why a user's report is not stored.
    ///
    /// Returns nil if the report is stored. Reports are stored until a decision prevents that.
    ///
    /// - Parameter user: the user; nil if no user is known.
    package func dropReason(for user: String?) -> DropReason? {
        if collection == false { return .disabled }
        return hasWithdrawn(user) ? .consentDenied : nil
    }

    /// Whether a user withdrew consent.
    package func hasWithdrawn(_ user: String?) -> Bool {
        user.map { consents[$0] == false } ?? false
    }

    /// Whether a user's records may be sent.
    package func canSend(for user: String?) -> Bool {
        collection == true && user.map { consents[$0] == true } ?? false
    }
}

/// The file that persists the decisions.
///
/// If two processes change decisions at the same time, both changes are kept. A decision that cannot be saved still
/// applies to this process.
struct UsageDecisionsFile: Sendable {
    private let file: StateFile<UsageDecisions>
    private let dependencies: Dependencies

    init(in environment: UsageEnvironment) throws(TrackwayError) {
        dependencies = try environment.dependencies()
        file = StateFile("decisions", in: dependencies.folder, of: dependencies.storage, format: .json)
    }

    /// Returns the saved decisions.
    ///
    /// Returns nil if they currently cannot be read or decoded.
    func read() -> UsageDecisions? {
        // After an error, callers continue with the decisions they know.
        switch try? file.read() {
        case .stored(let decisions, _): decisions
        case .missing: UsageDecisions()
        case .damaged, nil: nil
        }
    }

    /// Changes the decisions durably.
    ///
    /// - Parameter known: the decisions in effect in this process, in case the file cannot be read.
    /// - Returns: the decisions in effect after the change.
    /// - Throws: an error if the decisions could not be saved.
    func change(
        _ known: UsageDecisions,
        _ body: (inout UsageDecisions) -> Void
    ) throws(StorageError) -> UsageDecisions {
        var decisions = known
        let hasLock = try file.exclusively(.few) { () throws(StorageError) in
            decisions = read() ?? known
            body(&decisions)
            try dependencies.storage.makeFolder(dependencies.folder)
            try file.write(decisions)
            try file.synchronize()
        }
        guard hasLock else { throw file.lockUnavailable }
        return decisions
    }
}
