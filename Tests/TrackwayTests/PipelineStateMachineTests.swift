// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway

@Suite("Permission to record and send")
struct PipelineStateMachineTests {
    typealias Order = PipelineStateMachine.Order

    /// An input of the machine.
    enum Input: Sendable, CaseIterable {
        case grant, wait, deny, denyHere, enable, disable, pause, goOn, shutDown, suspend, resume, beginErase, endErase,
            held, heldBefore, stopped, discarded
    }

    /// Inputs in order, and all orders that they cause.
    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var consent = Consent.granted
        var isEnabled = true
        var inputs: [Input]
        var orders: [Order]
        var mayRecord = true
    }

    static let stories: [Story] = [
        Story(testDescription: "granted consent starts delivery", inputs: [], orders: [.startDelivery]),
        Story(testDescription: "pending consent keeps events unsent", consent: .pending, inputs: [], orders: []),
        Story(
            testDescription: "consent denied in an earlier run drops the remaining events",
            consent: .denied,
            inputs: [.discarded],
            orders: [.discardPending],
            mayRecord: false
        ),
        Story(
            testDescription: "a disabled SDK does nothing",
            isEnabled: false,
            inputs: [],
            orders: [],
            mayRecord: false
        ),
        Story(
            testDescription: "granting consent starts delivery of pending events",
            consent: .pending,
            inputs: [.grant],
            orders: [.startDelivery]
        ),
        Story(
            testDescription: "denying consent stops delivery without a last flush, then drops pending events",
            inputs: [.deny, .stopped, .discarded],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending],
            mayRecord: false
        ),
        Story(
            testDescription: "if only the current user denies, delivery continues for users who consented",
            inputs: [.denyHere],
            orders: [.startDelivery],
            mayRecord: false
        ),
        Story(
            testDescription: "if everyone denies after that, the remaining events are dropped",
            inputs: [.denyHere, .deny, .stopped, .discarded],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending],
            mayRecord: false
        ),
        Story(
            testDescription: "granting consent during a drop waits for the end of the drop",
            inputs: [.deny, .stopped, .grant, .discarded],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending, .startDelivery]
        ),
        Story(
            testDescription: "denying again during a drop drops again, for events recorded in the meantime",
            inputs: [.deny, .stopped, .grant, .deny, .discarded],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending, .discardPending],
            mayRecord: false
        ),
        Story(
            testDescription: "granting consent before delivery has stopped drops nothing",
            inputs: [.deny, .grant, .stopped],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Story(
            testDescription: "disabling stops delivery and drops nothing, and enabling restarts delivery",
            inputs: [.disable, .stopped, .enable],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Story(
            testDescription:
                "pausing waits for the request in flight, then stops; recording continues; pausing again has no effect",
            inputs: [.pause, .pause, .held, .stopped, .pause],
            orders: [.startDelivery, .holdDelivery(number: 1), .stopDelivery(lastFlush: .zero)]
        ),
        Story(
            testDescription: "resuming after a pause restarts delivery, and resuming again changes nothing",
            inputs: [.pause, .held, .stopped, .goOn, .goOn],
            orders: [.startDelivery, .holdDelivery(number: 1), .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Story(
            testDescription:
                "resuming during a request stops nothing, and the end of an earlier hold does not end a later one",
            inputs: [.pause, .goOn, .pause, .heldBefore],
            orders: [.startDelivery, .holdDelivery(number: 1), .releaseDelivery, .holdDelivery(number: 2)]
        ),
        Story(
            testDescription: "suspending during a pause gives the request in flight the time limit of the suspension",
            inputs: [.pause, .suspend, .stopped],
            orders: [
                .startDelivery, .holdDelivery(number: 1),
                .stopDelivery(lastFlush: .zero, timeout: .milliseconds(200)),
            ]
        ),
        Story(
            testDescription: "denying consent during a pause waits for nothing",
            inputs: [.suspend, .stopped, .resume, .pause, .deny, .stopped],
            orders: [
                .startDelivery, .stopDelivery(lastFlush: .milliseconds(200)), .startDelivery, .holdDelivery(number: 1),
                .stopDelivery(lastFlush: .zero), .discardPending,
            ],
            mayRecord: false
        ),
        Story(
            testDescription: "pausing and resuming do not enable a disabled SDK",
            inputs: [.disable, .stopped, .pause, .goOn],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero)],
            mayRecord: false
        ),
        Story(
            testDescription: "shutting down flushes one last time, and recording continues",
            inputs: [.shutDown, .stopped],
            orders: [.startDelivery, .stopDelivery(lastFlush: .seconds(5))]
        ),
        Story(
            testDescription: "shutting down during an erasure flushes nothing afterward",
            inputs: [.beginErase, .stopped, .shutDown, .endErase],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero)]
        ),
        Story(
            testDescription: "shutting down while stopped by Ctrl-Z flushes after the process resumes",
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
            testDescription: "Ctrl-Z flushes briefly and stops delivery, and resuming restarts it",
            inputs: [.suspend, .stopped, .resume],
            orders: [.startDelivery, .stopDelivery(lastFlush: .milliseconds(200)), .startDelivery]
        ),
        Story(
            testDescription: "erasing stops delivery without a last flush and restarts it",
            inputs: [.beginErase, .stopped, .endErase],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Story(
            testDescription: "two overlapping erasures restart delivery once",
            inputs: [.beginErase, .beginErase, .stopped, .endErase, .endErase],
            orders: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
    ]

    @Test("inputs cause the expected orders", arguments: stories)
    func story(_ story: Story) {
        var machine = PipelineStateMachine(consent: story.consent, isEnabled: story.isEnabled)
        var orders = machine.ordersNow()
        for input in story.inputs {
            machine.take(input)
            orders += machine.ordersNow()
        }
        #expect(orders == story.orders)
        #expect(machine.mayRecord == story.mayRecord)
    }

    @Test("shutting down before delivery starts still sends pending events")
    func shutDownAtOnce() {
        var machine = PipelineStateMachine(consent: .granted, isEnabled: true)
        machine.shutDown(within: .seconds(5))
        #expect(!machine.isAtRest)
        #expect(machine.ordersNow() == [.startDelivery, .stopDelivery(lastFlush: .seconds(5))])
        machine.deliveryStopped()
        #expect(machine.isAtRest)
        #expect(machine.ordersNow().isEmpty)
    }

    @Test("abandoning the machine ends it from every state", arguments: [Consent.granted, .pending, .denied])
    func abandoned(consent: Consent) {
        var machine = PipelineStateMachine(consent: consent, isEnabled: true)
        _ = machine.ordersNow()
        machine.abandoned()
        _ = machine.ordersNow()
        machine.deliveryStopped()
        if consent == .denied { machine.discardEnded() }
        #expect(machine.ordersNow() == [.end])
    }

    @Test("random inputs never cause overlapping orders, and never send without permission", arguments: 0..<100)
    func randomWalk(seed: UInt64) {
        var state = seed &* 2 &+ 1
        var machine = PipelineStateMachine(consent: Consent.allCases[Int(seed % 3)], isEnabled: seed % 2 == 0)
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
                    Issue.record("the machine was not abandoned")
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

extension PipelineStateMachine {
    fileprivate mutating func ordersNow() -> [Order] {
        var orders: [Order] = []
        while let order = nextOrder() {
            orders.append(order)
            if order == .end { break }
            if order == .startDelivery { deliveryBegan() }
        }
        return orders
    }

    fileprivate mutating func take(_ input: PipelineStateMachineTests.Input) {
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
