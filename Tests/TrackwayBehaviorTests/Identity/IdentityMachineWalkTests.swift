// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayBehavior
import TrackwayEvents
import TrackwayTesting

@Suite("Identity, walked at random")
struct IdentityMachineWalkTests {
    @Test("Promises hold at every step, 100,000 steps long", arguments: [1, 2] as [UInt64])
    func longWalk(seed: UInt64) throws {
        try walk(seed: seed, steps: 100_000, isKilled: false)
    }

    @Test("Killed and read back at every step, it goes on as if nothing had happened", arguments: [3, 4] as [UInt64])
    func killedWalk(seed: UInt64) throws {
        try walk(seed: seed, steps: 3_000, isKilled: true)
    }

    private func walk(seed: UInt64, steps: Int, isKilled: Bool) throws {
        var random = SeededGenerator(seed: seed)
        var machine = IdentityMachine()
        var problems: [String] = []
        /// The unique id each user had first, as long as few enough users came between.
        var ids: [String: String?] = [:]
        var owners: [String?: String] = [:]
        var shown = machine.context
        for step in 0..<steps {
            let now = Timestamp(milliseconds: Int64(step))
            let before = machine
            let actions: [IdentityMachine.Action]
            switch random.next(below: 10) {
            case 0...3: actions = machine.signedIn("user-\(random.next(below: 8))", fresh: "id-\(step)", at: now)
            case 4: actions = machine.signedOut(fresh: "visitor-\(step)", at: now)
            case 5: actions = machine.attributesSet(["a\(random.next(below: 6))": .integer(Int64(step))], at: now)
            case 6: actions = machine.attributesRemoved(["a\(random.next(below: 6))"])
            case 7: actions = machine.anonymousIDSet(random.nextBool() ? nil : "anon-\(random.next(below: 3))")
            case 8: actions = machine.identityBound("\(random.next(below: 3))", as: "kind-\(random.next(below: 3))")
            default: actions = machine.identityUnbound("\(random.next(below: 3))", as: "kind-\(random.next(below: 3))")
            }
            for action in actions { if case .context(let user) = action { shown = user } }
            let context = machine.context
            if shown != context { problems.append("\(step): events carry another user than the machine has") }
            if before != machine, actions.last != .save { problems.append("\(step): a change is not saved") }
            if before == machine, actions.contains(.save) {
                problems.append("\(step): nothing changed, yet it is saved")
            }
            if let user = machine.user {
                if let id = ids[user], id != context.uniqueID { problems.append("\(step): \(user) lost its id") }
                ids[user] = .some(context.uniqueID)
                if let owner = owners[context.uniqueID], owner != user {
                    problems.append("\(step): \(owner) and \(user) share an id")
                }
                owners[context.uniqueID] = user
                if machine.known.last?.user != user { problems.append("\(step): who is signed in is not known") }
            }
            if before.context.uniqueID != context.uniqueID, !context.attributes.isEmpty {
                problems.append("\(step): attributes went to another person")
            }
            if before.user != nil, machine.user != before.user {
                if !context.attributes.isEmpty { problems.append("\(step): attributes outlived a sign-out") }
                if !context.identities.isEmpty { problems.append("\(step): ids outlived a sign-out") }
                if context.uniqueID == before.context.uniqueID { problems.append("\(step): two people have one id") }
            }
            if context.attributes.contains(where: { $0.setAt > now }) { problems.append("\(step): set in the future") }
            if isKilled {
                machine = try JSONDecoder().decode(IdentityMachine.self, from: JSONEncoder().encode(machine))
            }
            if !problems.isEmpty { break }
        }
        #expect(problems == [])
        #expect(ids.count == 8)
    }
}
