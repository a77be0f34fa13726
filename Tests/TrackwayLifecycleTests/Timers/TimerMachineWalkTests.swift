// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Random walks of timers")
struct TimerMachineWalkTests {
    /// A timer's expected time, computed by adding milliseconds while it counts.
    private struct Model {
        var name: String
        var counts: Bool
        var isOfThisBackground: Bool
        var isPaused = false
        var milliseconds: Int64 = 0
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `every timer matches a reference stopwatch over 100,000 steps`(seed: UInt64) throws {
        try walk(seed: seed, steps: 100_000, isKilled: false)
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `a timer machine killed and restored at every step continues unchanged`(seed: UInt64) throws {
        try walk(seed: seed, steps: 4_000, isKilled: true)
    }

    private func walk(seed: UInt64, steps: Int, isKilled: Bool) throws {
        var random = SeededGenerator(seed: seed)
        var machine = TimerMachine()
        var model: [EventID: Model] = [:]
        var latest: [String: EventID] = [:]
        var isInBackground = false
        var now = DeviceTime.at(0)
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        for step in 0..<steps {
            let passed = Int64(random.next(below: 2_000))
            now = now.advanced(by: .milliseconds(passed))
            for (id, timer) in model
            where !timer.isPaused && (!isInBackground || timer.counts || timer.isOfThisBackground) {
                model[id]?.milliseconds += passed
            }
            let name = "timer-\(random.next(below: 4))"
            let ids = model.keys.sorted()
            let id = ids.isEmpty ? EventID(high: 9, low: 9) : ids[random.next(below: ids.count)]
            let byName = random.nextBool()
            let target = byName ? latest[name] : model[id] == nil ? nil : id
            let reference = byName ? TimerReference.name(name) : .id(id)
            switch random.next(below: 16) {
            case 0...4 where model.count < 6:
                let id = EventID(high: 1, low: UInt64(step))
                let counts = random.nextBool()
                #expect(machine.start(name, id: id, countsBackground: counts, at: now) == [])
                model[id] = Model(name: name, counts: counts, isOfThisBackground: isInBackground)
                latest[name] = id
            case 5...6:
                let exists = machine.pause(reference, at: now)
                #expect(exists == (target != nil))
                if let target { model[target]?.isPaused = true }
            case 7...8:
                let exists = machine.resume(reference, at: now)
                #expect(exists == (target != nil))
                if let target { model[target]?.isPaused = false }
            case 9...10:
                let shown = machine.end(reference, at: now)?.elapsed.wholeMilliseconds
                #expect(shown == target.flatMap { model[$0]?.milliseconds })
                forget(target, &model, &latest)
            case 11:
                let exists = machine.remove(reference)
                #expect(exists == (target != nil))
                forget(target, &model, &latest)
            case 12 where random.next(below: 100) == 0:
                machine.removeAll()
                model = [:]
                latest = [:]
            case 13:
                machine.appEnteredBackground(at: now)
                isInBackground = true
            case 14:
                machine.appEnteredForeground(at: now)
                isInBackground = false
                for id in model.keys { model[id]?.isOfThisBackground = false }
            default:
                break
            }
            if machine.count != model.count { Issue.record("\(machine.count) timers, not \(model.count)") }
            if isKilled { machine = try decoder.decode(TimerMachine.self, from: encoder.encode(machine)) }
        }
        for (id, timer) in model {
            #expect(machine.end(.id(id), at: now)?.elapsed == .milliseconds(timer.milliseconds))
        }
    }

    private func forget(_ id: EventID?, _ model: inout [EventID: Model], _ latest: inout [String: EventID]) {
        guard let id, let timer = model.removeValue(forKey: id) else { return }
        if latest[timer.name] == id { latest[timer.name] = nil }
    }
}
