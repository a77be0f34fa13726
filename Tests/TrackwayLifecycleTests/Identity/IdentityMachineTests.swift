// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Identity")
struct IdentityMachineTests {
    private typealias Action = IdentityMachine.Action

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private static let signedIn = Action.record(name: "_profile_set", attributes: ["_signed_in": true])
    private static let signedOut = Action.record(name: "_profile_set", attributes: ["_signed_in": false])

    /// Sign-ins and sign-outs (nil) in order, and the unique id after each.
    ///
    /// "" is the installation's id, and a number is the id of the visitor after that step.
    @Test(
        arguments: [
            (["A", nil, "B", nil, "A", "C"], ["", "1", "1", "3", "", "C"]),
            (["A", "B", "A", "B"], ["", "B", "", "B"]),
            (["A", nil, "A"], ["", "1", ""]),
            ([nil, nil, "A"], ["", "", ""]),
            (["A", "B", nil, "C", nil, "B"], ["", "B", "2", "2", "4", "B"]),
            (["a", "A"], ["", "A"]),
        ] as [([String?], [String])]
    )
    func `a user keeps the same unique id, and each visitor after a sign-out gets a new one`(
        people: [String?],
        ids: [String]
    ) {
        #expect(Self.uniqueIDs(of: people) { "\($0)" } == ids)
    }

    @Test(
        arguments: [
            // Visitor, A, out, B, out, A, C have the ids 1, 1, 1, 2, 2, 1, 3.
            (["A", nil, "B", nil, "A", "C"], ["", "", "B", "B", "", "C"]),
            (["A", nil, "A"], ["", "", ""]),
            (["A", "B", nil, "C", nil, "B"], ["", "B", "B", "C", "C", "B"]),
        ] as [([String?], [String])]
    )
    func `unique ids survive a sign-out if a format requires it`(people: [String?], ids: [String]) {
        #expect(Self.uniqueIDs(of: people) { _ in nil } == ids)
    }

    private static func uniqueIDs(of people: [String?], newUniqueID: (Int) -> String?) -> [String] {
        var machine = IdentityMachine()
        var seen: [String] = []
        for (index, user) in people.enumerated() {
            let now = Timestamp(milliseconds: Int64(index))
            if let user {
                _ = machine.signIn(user, newUniqueID: user, at: now)
            } else {
                _ = machine.signOut(newUniqueID: newUniqueID(index), at: now)
            }
            seen.append(machine.context.uniqueID ?? "")
            #expect(machine.context.id == user)
        }
        return seen
    }

    @Test
    func `the first person has the installation's first touch, and each other person keeps their own`() {
        var machine = IdentityMachine()
        _ = machine.signIn("A", newUniqueID: "1", at: time(10))
        #expect(machine.context.firstTouch == nil)
        _ = machine.signIn("B", newUniqueID: "2", at: time(20))
        #expect(machine.context.firstTouch == time(20))
        _ = machine.signIn("A", newUniqueID: "3", at: time(30))
        #expect(machine.context.firstTouch == nil)
        _ = machine.signIn("B", newUniqueID: "4", at: time(40))
        #expect(machine.context.uniqueID == "2")
        #expect(machine.context.firstTouch == time(20))
    }

    @Test(arguments: ["visitor", nil])
    func `attributes stay with the unique id across a sign-in and end with the sign-out`(newUniqueID: String?) {
        var machine = IdentityMachine()
        _ = machine.attributesSet(["theme": "dark"], at: time(1))
        _ = machine.signIn("A", newUniqueID: "1", at: time(2))
        _ = machine.attributesSet(["age": 21, "theme": "light"], at: time(3))
        let both = [
            RecordedContext.User.Attribute(name: "theme", value: "light", setAt: time(3)),
            RecordedContext.User.Attribute(name: "age", value: 21, setAt: time(3)),
        ]
        #expect(machine.context.attributes == both)
        _ = machine.signOut(newUniqueID: newUniqueID, at: time(4))
        #expect(machine.context.attributes == [])
        _ = machine.attributesSet(["theme": "visitor"], at: time(4))
        _ = machine.signIn("B", newUniqueID: "3", at: time(5))
        // The visitor is now known to be B, unless the id is still A's.
        #expect(machine.context.attributes.map(\.name) == (newUniqueID == nil ? [] : ["theme"]))
        _ = machine.signIn("C", newUniqueID: "5", at: time(5))
        #expect(machine.context.attributes == [])
        // The back end already has A's attributes, so they are not sent again.
        _ = machine.signIn("A", newUniqueID: "4", at: time(6))
        #expect(machine.context.attributes == [])
    }

    @Test
    func `setting an attribute again updates its time, even if the value is the same`() {
        var machine = IdentityMachine()
        _ = machine.attributesSet(["plan": "free"], at: time(1))
        let actions = machine.attributesSet(["plan": "free"], at: time(2))
        #expect(machine.context.attributes.map(\.setAt) == [time(2)])
        #expect(
            actions == [.context(machine.context), .record(name: "_profile_set", attributes: [:]), .save]
        )
    }

    @Test
    func `the context changes before the event that reports the change is recorded`() {
        var machine = IdentityMachine()
        #expect(
            machine.signIn("A", newUniqueID: "1", at: time(1)) == [.context(machine.context), Self.signedIn, .save]
        )
        #expect(
            machine.signOut(newUniqueID: "2", at: time(2)) == [.context(machine.context), Self.signedOut, .save]
        )
        #expect(
            machine.attributesSet(["a": 1], at: time(2)) == [
                .context(machine.context), .record(name: "_profile_set", attributes: [:]), .save,
            ]
        )
        #expect(
            machine.attributesRemoved(["a"]) == [
                .context(machine.context), .record(name: "_profile_unset", attributes: ["a": true]), .save,
            ]
        )
        #expect(machine.anonymousIDSet("x") == [.context(machine.context), .save])
    }

    @Test
    func `calls that change nothing return no actions`() {
        var machine = IdentityMachine()
        #expect(machine.signOut(newUniqueID: "1", at: time(1)) == [])
        #expect(machine.attributesSet([:], at: time(1)) == [])
        #expect(machine.attributesRemoved([]) == [])
        #expect(machine.anonymousIDSet(nil) == [])
        _ = machine.signIn("A", newUniqueID: "1", at: time(1))
        #expect(machine.signIn("A", newUniqueID: "2", at: time(2)) == [])
        _ = machine.identityBound("1", as: "phone")
        #expect(machine.identityBound("1", as: "phone") == [])
    }

    @Test
    func `removing unknown data is still recorded, because a back end may have it`() {
        var machine = IdentityMachine()
        #expect(
            machine.attributesRemoved(["a", "b", "a"]) == [
                .record(name: "_profile_unset", attributes: ["a": true, "b": true])
            ]
        )
        #expect(
            machine.identityUnbound("1", as: "phone") == [
                .record(name: "_identity_unbound", attributes: ["_identity_key": "phone", "_identity_value": "1"])
            ]
        )
    }

    @Test
    func `bound ids are part of the next sign-in event, and end with it or with the sign-out`() {
        var machine = IdentityMachine()
        let bound = machine.identityBound("1", as: "phone")
        let event: Attributes = ["_identity_key": "phone", "_identity_value": "1"]
        #expect(
            bound == [.context(machine.context), .record(name: "_identity_bound", attributes: event), .save]
        )
        let before = machine.context.identities
        let actions = machine.signIn("A", newUniqueID: "1", at: time(1))
        guard actions.count == 4, case .context(let first) = actions[0], case .context(let second) = actions[2] else {
            Issue.record("\(actions)")
            return
        }
        #expect(first.identities == before && before == ["phone": "1"])
        #expect(second.identities == [:] && second == machine.context)
        #expect(actions[1] == Self.signedIn && actions[3] == .save)

        _ = machine.identityBound("2", as: "phone")
        _ = machine.identityBound("3", as: "phone")
        #expect(machine.context.identities == ["phone": "3"])
        // This id is not the currently bound one, which stays.
        _ = machine.identityUnbound("2", as: "phone")
        #expect(machine.context.identities == ["phone": "3"])
        _ = machine.identityUnbound("3", as: "phone")
        #expect(machine.context.identities == [:])
        _ = machine.identityBound("4", as: "mail")
        _ = machine.signOut(newUniqueID: "5", at: time(5))
        #expect(machine.context.identities == [:])
        _ = machine.signIn("A", newUniqueID: "6", at: time(6))
        _ = machine.identityBound("7", as: "phone")
        // Another user's ids do not apply to this one, not even in the sign-in event.
        let others = machine.signIn("B", newUniqueID: "8", at: time(8))
        for case .context(let user) in others { #expect(user.identities == [:]) }
    }

    @Test
    func `the number of id types is limited, and exceeding it is reported`() {
        var machine = IdentityMachine()
        for number in 1...IdentityMachine.maxIdentities {
            #expect(machine.identityBound("\(number)", as: "kind-\(number)").count == 3)
        }
        #expect(machine.identityBound("x", as: "one more") == [.reportTooManyIdentities(kind: "one more")])
        #expect(machine.identityBound("x", as: "kind-1").count == 3)
        #expect(machine.context.identities.count == IdentityMachine.maxIdentities)
    }

    @Test
    func `beyond the maximum number of known users, the one absent longest is forgotten`() {
        var machine = IdentityMachine()
        for number in 0..<IdentityMachine.maxKnownUsers {
            _ = machine.signIn("u\(number)", newUniqueID: "id\(number)", at: time(0))
        }
        _ = machine.signIn("u0", newUniqueID: "new", at: time(1))
        #expect(machine.context.uniqueID == nil)
        let actions = machine.signIn("one more", newUniqueID: "x", at: time(2))
        #expect(actions.contains(.reportUserForgotten("u1")), "forgetting a user is reported")
        #expect(machine.known.count == IdentityMachine.maxKnownUsers)
        _ = machine.signIn("u2", newUniqueID: "new", at: time(3))
        #expect(machine.context.uniqueID == "id2")
        _ = machine.signIn("u1", newUniqueID: "new", at: time(4))
        #expect(machine.context.uniqueID == "new")
        for round in 0..<2_000 { _ = machine.signIn("loop-\(round)", newUniqueID: "\(round)", at: time(5)) }
        #expect(machine.known.count == IdentityMachine.maxKnownUsers)
    }

    @Test
    func `erasing removes everything`() {
        var machine = IdentityMachine()
        _ = machine.signIn("A", newUniqueID: "1", at: time(1))
        _ = machine.attributesSet(["a": 1], at: time(1))
        _ = machine.anonymousIDSet("x")
        #expect(machine.erase() == [.context(RecordedContext.User()), .save])
        #expect(machine == IdentityMachine())
    }

    @Test
    func `ids that are not set default to the installation's id and its time`() throws {
        let installation = InstallationID.generate(at: time(1_700_000_000_123))
        let origin = IdentityOrigin(installation)
        let user = origin.completing(IdentityMachine().context)
        #expect(user.uniqueID == installation.description.uppercased())
        #expect(user.anonymousID == user.uniqueID)
        #expect(user.firstTouch == time(1_700_000_000_123))
        var machine = IdentityMachine()
        _ = machine.anonymousIDSet("mine")
        #expect(origin.completing(machine.context).anonymousID == "mine")
        _ = machine.anonymousIDSet(nil)
        #expect(origin.completing(machine.context).anonymousID == user.uniqueID)
        // An id in another format contains no time.
        #expect(IdentityOrigin(InstallationID(high: 7, low: 7)).firstTouch == nil)
    }

    @Test
    func `the stored form reads back exactly, and one without known users still has the signed-in user`() throws {
        var machine = IdentityMachine()
        _ = machine.signIn("A", newUniqueID: "1", at: time(1))
        _ = machine.signIn("ü👩‍👩‍👧\n", newUniqueID: "2", at: time(2))
        _ = machine.attributesSet(
            ["n": 0.1, "i": .integer(.min), "l": .array([1, "x", true]), "o": ["k": "v"]],
            at: time(3)
        )
        _ = machine.identityBound("1", as: "phone")
        _ = machine.anonymousIDSet("anon")
        #expect(try JSONDecoder().decode(IdentityMachine.self, from: JSONEncoder().encode(machine)) == machine)
        let old = try IdentityMachine(json: .parse(Array(#"{"user":"A","future":[1]}"#.utf8)))
        #expect(old.user == "A")
        #expect(old.known.map(\.user) == ["A"])
        #expect(throws: JSONError.self) { try IdentityMachine(json: .integer(1)) }
        #expect(throws: JSONError.self) { try IdentityMachine(json: .parse(Array(#"{"attributes":{"a":1}}"#.utf8))) }
    }
}
