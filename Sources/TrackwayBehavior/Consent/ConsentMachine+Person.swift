// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsentMachine {
    /// Somebody who used the app: a user, or whoever used it in a stretch in which nobody was signed in.
    struct Person: Sendable, Hashable, Codable {
        let subject: String
        var decisions = ConsentDecisions()
        /// The turn at which the person left; nil while it is here.
        var left: Int64?
        /// The user this stretch belongs to, once one signed in.
        var joined: String?
    }

    /// What is lost of people who were forgotten because there were too many.
    enum Forgotten: String, Sendable, Hashable, Codable {
        case nobody
        case somebody
        /// Somebody who had refused: nobody who is unknown here may be taken for agreed.
        case someRefusal
    }

    /// The subject of a user, which no stretch has.
    static func subject(of user: String) -> String { "user-" + user }

    /// The subject of a stretch in which nobody was signed in.
    static func subject(ofStretch number: Int64) -> String { "anonymous-\(number)" }
}
