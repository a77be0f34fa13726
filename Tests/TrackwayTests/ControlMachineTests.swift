// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway

@Suite("What may be recorded and sent")
struct ControlMachineTests {
    typealias Order = ControlMachine.Order

    /// Something that happens to the machine.
    enum Input: Sendable, CaseIterable {
        case grant, wait, deny, denyHere, enable, disable, pause, goOn, shutDown, suspend, resume, beginErase, endErase,
            held, heldBefore, stopped, discarded
    }

    /// Inputs in order, and every order given on the way.
    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var consent = Consent.granted
        var isEnabled = true
        var inputs: [Input]
        var orders: [Order]
        var mayRecord = true
    }

    static let stories: [Story] = [
        Story(testDescription: "granted starts delivering", inputs: [], orders: [.startDelivery]),
        Story(testDescription: "pending keeps and does not send", consent: .pending, inputs: [], orders: []),
        Story(
            testDescription: "denied in an earlier run drops what is left",
            consent: .denied,
            inputs: [.discarded],
            orders: [.discardPending],
            mayRecord: false
        ),
        Story(
            testDescription: "disabled does nothing",
            isEnabled: false,
            inputs: [],
            orders: [],
            mayRecord: false
        ),
        Story(
            testDescription: "granting starts what was pending",
            consent: .pending,
            inputs: [.grant],
            orders: [.startDelivery]
        ),
        Story(
            testDescription: "denying stops without a last flush, then drops",
            inputs: [.deny, .stopped, .discarded],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending],
            mayRecord: false
        ),
        Story(
            testDescription: "denied by who is here, delivery goes on for those who agreed",
            inputs: [.denyHere],
            orders: [.startDelivery],
            mayRecord: false
        ),
        Story(
            testDescription: "then denied by everybody, what is left is dropped",
            inputs: [.denyHere, .deny, .stopped, .discarded],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending],
            mayRecord: false
        ),
        Story(
            testDescription: "granting again during the drop waits for its end",
            inputs: [.deny, .stopped, .grant, .discarded],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending, .startDelivery]
        ),
        Story(
            testDescription: "denying twice drops once more for what came between",
            inputs: [.deny, .stopped, .grant, .deny, .discarded],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending, .discardPending],
            mayRecord: false
        ),
        Story(
            testDescription: "granting again before delivery stopped drops nothing",
            inputs: [.deny, .grant, .stopped],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Story(
            testDescription: "disabling stops and drops nothing, enabling starts again",
            inputs: [.disable, .stopped, .enable],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Story(
            testDescription:
                "pausing lets what is on its way come back, then stops; recording goes on, again changes nothing",
            inputs: [.pause, .pause, .held, .stopped, .pause],
            orders: [.startDelivery, .holdDelivery(number: 1), .stopDelivery(lastFlush: .zero)]
        ),
        Story(
            testDescription: "going on after a pause starts again, again changes nothing",
            inputs: [.pause, .held, .stopped, .goOn, .goOn],
            orders: [.startDelivery, .holdDelivery(number: 1), .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Story(
            testDescription:
                "going on while something is on its way stops nothing, and an earlier hold's end is none of this one",
            inputs: [.pause, .goOn, .pause, .heldBefore],
            orders: [.startDelivery, .holdDelivery(number: 1), .releaseDelivery, .holdDelivery(number: 2)]
        ),
        Story(
            testDescription: "leaving in a pause gives what is on its way the time that leaving has",
            inputs: [.pause, .suspend, .stopped],
            orders: [
                .startDelivery, .holdDelivery(number: 1),
                .stopDelivery(lastFlush: .zero, timeout: .milliseconds(200)),
            ]
        ),
        Story(
            testDescription: "a refusal in a pause waits for nothing",
            inputs: [.suspend, .stopped, .resume, .pause, .deny, .stopped],
            orders: [
                .startDelivery, .stopDelivery(lastFlush: .milliseconds(200)), .startDelivery, .holdDelivery(number: 1),
                .stopDelivery(lastFlush: .zero), .discardPending,
            ],
            mayRecord: false
        ),
        Story(
            testDescription: "a pause does not switch on what is switched off",
            inputs: [.disable, .stopped, .pause, .goOn],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero)],
            mayRecord: false
        ),
        Story(
            testDescription: "shutting down flushes last and records on",
            inputs: [.shutDown, .stopped],
            orders: [.startDelivery, .stopDelivery(lastFlush: .seconds(5))]
        ),
        Story(
            testDescription: "shutting down while an erasing holds delivery back flushes nothing afterwards",
            inputs: [.beginErase, .stopped, .shutDown, .endErase],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero)]
        ),
        Story(
            testDescription: "shutting down while stopped by Ctrl-Z flushes after coming back",
            inputs: [.suspend, .stopped, .shutDown, .resume, .stopped],
            orders: [
                .startDelivery, .stopDelivery(lastFlush: .milliseconds(200)), .startDelivery,
                .stopDelivery(lastFlush: .seconds(5)),
            ]
        ),
        Story(
            testDescription: "shutting down without consent flushes nothing",
            consent: .pending,
            inputs: [.shutDown, .grant],
            orders: []
        ),
        Story(
            testDescription: "Ctrl-Z flushes briefly, lets go and comes back",
            inputs: [.suspend, .stopped, .resume],
            orders: [.startDelivery, .stopDelivery(lastFlush: .milliseconds(200)), .startDelivery]
        ),
        Story(
            testDescription: "erasing stops without a last flush and starts again",
            inputs: [.beginErase, .stopped, .endErase],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Story(
            testDescription: "two erasings start once",
            inputs: [.beginErase, .beginErase, .stopped, .endErase, .endErase],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
    ]

    @Test("stories", arguments: stories)
    func story(_ story: Story) {
        var machine = ControlMachine(consent: story.consent, isEnabled: story.isEnabled)
        var orders = machine.ordersNow()
        for input in story.inputs {
            machine.take(input)
            orders += machine.ordersNow()
        }
        #expect(orders == story.orders)
        #expect(machine.mayRecord == story.mayRecord)
    }

    @Test("shutting down before delivery has begun still sends what waits")
    func shutDownAtOnce() {
        var machine = ControlMachine(consent: .granted, isEnabled: true)
        machine.shutDown(within: .seconds(5))
        #expect(!machine.isAtRest)
        #expect(machine.ordersNow() == [.startDelivery, .stopDelivery(lastFlush: .seconds(5))])
        machine.deliveryStopped()
        #expect(machine.isAtRest)
        #expect(machine.ordersNow().isEmpty)
    }

    @Test("going away ends everything, from every state", arguments: [Consent.granted, .pending, .denied])
    func abandoned(consent: Consent) {
        var machine = ControlMachine(consent: consent, isEnabled: true)
        _ = machine.ordersNow()
        machine.abandoned()
        _ = machine.ordersNow()
        machine.deliveryStopped()
        if consent == .denied { machine.discardEnded() }
        #expect(machine.ordersNow() == [.end])
    }

    @Test("never two things at once, and nothing is sent that may not be", arguments: 0..<100)
    func randomWalk(seed: UInt64) {
        var state = seed &* 2 &+ 1
        var machine = ControlMachine(consent: Consent.allCases[Int(seed % 3)], isEnabled: seed % 2 == 0)
        var isDelivering = false
        var isStopping = false
        var isDiscarding = false
        var lastHold = 0
        var erasures = 0
        for _ in 0..<300 {
            while let order = machine.nextOrder() {
                switch order {
                case .startDelivery:
                    #expect(!isDelivering && !isDiscarding)
                    #expect(machine.maySend || machine.isShutDown && machine.isAllowedToSend)
                    isDelivering = true
                    machine.deliveryBegan()
                case .holdDelivery(let number):
                    #expect(isDelivering && machine.isPaused)
                    lastHold = number
                case .releaseDelivery:
                    #expect(isDelivering && machine.maySend)
                case .stopDelivery(let lastFlush, let timeout):
                    #expect(isDelivering)
                    if !machine.isAllowedToSend { #expect(lastFlush == .zero) }
                    if !machine.isPaused || !machine.isEnabled || erasures > 0 { #expect(timeout == .zero) }
                    isStopping = true
                case .discardPending:
                    #expect(!isDelivering && !isDiscarding)
                    #expect(machine.consent == .denied)
                    isDiscarding = true
                case .end:
                    Issue.record("nobody went away")
                }
            }
            #expect(machine.isAtRest == (!isDelivering && !isDiscarding))
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let input = Input.allCases[Int((state >> 33) % UInt64(Input.allCases.count))]
            switch input {
            case .stopped where !isStopping: continue
            case .held:
                machine.deliveryHeld(lastHold)
                continue
            case .discarded where !isDiscarding: continue
            case .endErase where erasures == 0: continue
            case .stopped: (isDelivering, isStopping) = (false, false)
            case .discarded: isDiscarding = false
            case .beginErase: erasures += 1
            case .endErase: erasures -= 1
            default: break
            }
            machine.take(input)
        }
    }
}

extension ControlMachine {
    fileprivate mutating func ordersNow() -> [Order] {
        var orders: [Order] = []
        while let order = nextOrder() {
            orders.append(order)
            if order == .end { break }
            if order == .startDelivery { deliveryBegan() }
        }
        return orders
    }

    fileprivate mutating func take(_ input: ControlMachineTests.Input) {
        switch input {
        case .grant: consentChanged(to: .granted)
        case .wait: consentChanged(to: .pending)
        case .deny: consentChanged(to: .denied)
        case .denyHere: consentChanged(to: .denied, maySend: true)
        case .enable: enabledChanged(to: true)
        case .disable: enabledChanged(to: false)
        case .pause: pausedChanged(to: true)
        case .goOn: pausedChanged(to: false)
        case .shutDown: shutDown(within: .seconds(5))
        case .suspend: suspended(within: .milliseconds(200))
        case .resume: resumed()
        case .beginErase: eraseBegan()
        case .endErase: eraseEnded()
        case .held: deliveryHeld(1)
        case .heldBefore: deliveryHeld(1)
        case .stopped: deliveryStopped()
        case .discarded: discardEnded()
        }
    }
}
