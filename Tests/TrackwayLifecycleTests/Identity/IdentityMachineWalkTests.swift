// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Random walks of identity")
struct IdentityMachineWalkTests {
    @Test(arguments: [1, 2] as [UInt64])
    func `guarantees hold at every step of a 100,000-step walk`(seed: UInt64) throws {
        try walk(seed: seed, steps: 100_000, isKilled: false)
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `an identity machine killed and restored at every step continues unchanged`(seed: UInt64) throws {
        try walk(seed: seed, steps: 3_000, isKilled: true)
    }

    private func walk(seed: UInt64, steps: Int, isKilled: Bool) throws {
        var random = SeededGenerator(seed: seed)
        var machine = IdentityMachine()
        var problems: [String] = []
        /// Each user's first unique id.
        ///
        /// It stays the same unless too many other users sign in meanwhile.
        var ids: [String: String?] = [:]
        var owners: [String?: String] = [:]
        var shown = machine.context
        for step in 0..<steps {
            let now = Timestamp(milliseconds: Int64(step))
            let before = machine
            let actions: [IdentityMachine.Action]
            switch random.next(below: 10) {
            case 0...3: actions = machine.signIn("user-\(random.next(below: 8))", newUniqueID: "id-\(step)", at: now)
            case 4: actions = machine.signOut(newUniqueID: "visitor-\(step)", at: now)
            case 5: actions = machine.attributesSet(["a\(random.next(below: 6))": .integer(Int64(step))], at: now)
            case 6: actions = machine.attributesRemoved(["a\(random.next(below: 6))"])
            case 7: actions = machine.anonymousIDSet(random.nextBool() ? nil : "anon-\(random.next(below: 3))")
            case 8: actions = machine.identityBound("\(random.next(below: 3))", as: "kind-\(random.next(below: 3))")
            default: actions = machine.identityUnbound("\(random.next(below: 3))", as: "kind-\(random.next(below: 3))")
            }
            for action in actions { if case .context(let user) = action { shown = user } }
            let context = machine.context
            if shown != context { problems.append("\(step): events contain a different user than the machine") }
            if before != machine, actions.last != .save { problems.append("\(step): a change is not saved") }
            if before == machine, actions.contains(.save) {
                problems.append("\(step): saved without a change")
            }
            if let user = machine.user {
                if let id = ids[user], id != context.uniqueID { problems.append("\(step): \(user) lost its id") }
                ids[user] = .some(context.uniqueID)
                if let owner = owners[context.uniqueID], owner != user {
                    problems.append("\(step): \(owner) and \(user) share an id")
                }
                owners[context.uniqueID] = user
                if machine.known.last?.user != user { problems.append("\(step): the signed-in user is not known") }
            }
            if before.context.uniqueID != context.uniqueID, !context.attributes.isEmpty {
                problems.append("\(step): attributes moved to another person")
            }
            if before.user != nil, machine.user != before.user {
                if !context.attributes.isEmpty { problems.append("\(step): attributes survived a sign-out") }
                if !context.identities.isEmpty { problems.append("\(step): ids survived a sign-out") }
                if context.uniqueID == before.context.uniqueID { problems.append("\(step): two people share an id") }
            }
            if context.attributes.contains(where: { $0.setAt > now }) { problems.append("\(step): future attribute") }
            if isKilled {
                machine = try JSONDecoder().decode(IdentityMachine.self, from: JSONEncoder().encode(machine))
            }
            if !problems.isEmpty { break }
        }
        #expect(problems == [])
        #expect(ids.count == 8)
    }
}
