// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway

@Suite("Permission to record and send")
struct PipelineStateMachineTests {
    typealias Command = PipelineStateMachine.Command

    /// An input of the machine.
    enum Input: Sendable, CaseIterable {
        case grant, wait, deny, denyForCurrentUser, enable, disable, pause, unpause, shutDown, suspend, resume,
            beginErase, endErase,
            held, earlierHoldReached, stopped, discarded
    }

    /// A sequence of inputs, and all commands that they cause.
    struct Scenario: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var consent = Consent.granted
        var isEnabled = true
        var inputs: [Input]
        var commands: [Command]
        var mayRecord = true
    }

    static let scenarios: [Scenario] = [
        Scenario(testDescription: "granted consent starts delivery", inputs: [], commands: [.startDelivery]),
        Scenario(testDescription: "pending consent keeps events unsent", consent: .pending, inputs: [], commands: []),
        Scenario(
            testDescription: "consent denied in an earlier run drops the remaining events",
            consent: .denied,
            inputs: [.discarded],
            commands: [.discardPending],
            mayRecord: false
        ),
        Scenario(
            testDescription: "a disabled SDK does nothing",
            isEnabled: false,
            inputs: [],
            commands: [],
            mayRecord: false
        ),
        Scenario(
            testDescription: "granting consent starts delivery of pending events",
            consent: .pending,
            inputs: [.grant],
            commands: [.startDelivery]
        ),
        Scenario(
            testDescription: "denying consent stops delivery without a last flush, then drops pending events",
            inputs: [.deny, .stopped, .discarded],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending],
            mayRecord: false
        ),
        Scenario(
            testDescription: "if only the current user denies consent, delivery continues for users who consented",
            inputs: [.denyForCurrentUser],
            commands: [.startDelivery],
            mayRecord: false
        ),
        Scenario(
            testDescription: "if consent is then denied for all users, the remaining events are dropped",
            inputs: [.denyForCurrentUser, .deny, .stopped, .discarded],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending],
            mayRecord: false
        ),
        Scenario(
            testDescription: "granting consent during a drop starts delivery after the drop",
            inputs: [.deny, .stopped, .grant, .discarded],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending, .startDelivery]
        ),
        Scenario(
            testDescription: "denying again during a drop starts another drop, for events recorded in the meantime",
            inputs: [.deny, .stopped, .grant, .deny, .discarded],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero), .discardPending, .discardPending],
            mayRecord: false
        ),
        Scenario(
            testDescription: "granting consent before delivery has stopped drops nothing",
            inputs: [.deny, .grant, .stopped],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Scenario(
            testDescription: "disabling stops delivery and drops nothing, and enabling restarts delivery",
            inputs: [.disable, .stopped, .enable],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Scenario(
            testDescription:
                "pausing waits for the request in flight, then stops; recording continues; pausing again has no effect",
            inputs: [.pause, .pause, .held, .stopped, .pause],
            commands: [.startDelivery, .holdDelivery(number: 1), .stopDelivery(lastFlush: .zero)]
        ),
        Scenario(
            testDescription: "resuming after a pause restarts delivery, and resuming again changes nothing",
            inputs: [.pause, .held, .stopped, .unpause, .unpause],
            commands: [.startDelivery, .holdDelivery(number: 1), .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Scenario(
            testDescription:
                "resuming during a request keeps delivery running, and an earlier hold does not affect a later one",
            inputs: [.pause, .unpause, .pause, .earlierHoldReached],
            commands: [.startDelivery, .holdDelivery(number: 1), .releaseDelivery, .holdDelivery(number: 2)]
        ),
        Scenario(
            testDescription: "suspending during a pause gives the request in flight the time limit of the suspension",
            inputs: [.pause, .suspend, .stopped],
            commands: [
                .startDelivery, .holdDelivery(number: 1),
                .stopDelivery(lastFlush: .zero, timeout: .milliseconds(200)),
            ]
        ),
        Scenario(
            testDescription: "denying consent during a pause stops delivery immediately",
            inputs: [.suspend, .stopped, .resume, .pause, .deny, .stopped],
            commands: [
                .startDelivery, .stopDelivery(lastFlush: .milliseconds(200)), .startDelivery, .holdDelivery(number: 1),
                .stopDelivery(lastFlush: .zero), .discardPending,
            ],
            mayRecord: false
        ),
        Scenario(
            testDescription: "pausing and resuming do not enable a disabled SDK",
            inputs: [.disable, .stopped, .pause, .unpause],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero)],
            mayRecord: false
        ),
        Scenario(
            testDescription: "shutting down flushes one last time, and recording continues",
            inputs: [.shutDown, .stopped],
            commands: [.startDelivery, .stopDelivery(lastFlush: .seconds(5))]
        ),
        Scenario(
            testDescription: "shutting down during an erasure flushes nothing afterward",
            inputs: [.beginErase, .stopped, .shutDown, .endErase],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero)]
        ),
        Scenario(
            testDescription: "shutting down while stopped by Ctrl-Z flushes after the process resumes",
            inputs: [.suspend, .stopped, .shutDown, .resume, .stopped],
            commands: [
                .startDelivery, .stopDelivery(lastFlush: .milliseconds(200)), .startDelivery,
                .stopDelivery(lastFlush: .seconds(5)),
            ]
        ),
        Scenario(
            testDescription: "shutting down without consent flushes nothing",
            consent: .pending,
            inputs: [.shutDown, .grant],
            commands: []
        ),
        Scenario(
            testDescription: "Ctrl-Z flushes briefly and stops delivery, and resuming restarts it",
            inputs: [.suspend, .stopped, .resume],
            commands: [.startDelivery, .stopDelivery(lastFlush: .milliseconds(200)), .startDelivery]
        ),
        Scenario(
            testDescription: "erasing stops delivery without a last flush and restarts it",
            inputs: [.beginErase, .stopped, .endErase],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
        Scenario(
            testDescription: "two overlapping erasures restart delivery once",
            inputs: [.beginErase, .beginErase, .stopped, .endErase, .endErase],
            commands: [.startDelivery, .stopDelivery(lastFlush: .zero), .startDelivery]
        ),
    ]

    @Test(arguments: scenarios)
    func `inputs cause the expected commands`(_ scenario: Scenario) {
        var machine = PipelineStateMachine(consent: scenario.consent, isEnabled: scenario.isEnabled)
        var commands = machine.pendingCommands()
        for input in scenario.inputs {
            machine.apply(input)
            commands += machine.pendingCommands()
        }
        #expect(commands == scenario.commands)
        #expect(machine.mayRecord == scenario.mayRecord)
    }

    @Test
    func `shutting down before delivery starts still sends pending events`() {
        var machine = PipelineStateMachine(consent: .granted, isEnabled: true)
        machine.shutDown(within: .seconds(5))
        #expect(!machine.isIdle)
        #expect(machine.pendingCommands() == [.startDelivery, .stopDelivery(lastFlush: .seconds(5))])
        machine.deliveryStopped()
        #expect(machine.isIdle)
        #expect(machine.pendingCommands().isEmpty)
    }

    @Test(arguments: [Consent.granted, .pending, .denied])
    func `abandoning the machine ends it from every state`(consent: Consent) {
        var machine = PipelineStateMachine(consent: consent, isEnabled: true)
        _ = machine.pendingCommands()
        machine.abandon()
        _ = machine.pendingCommands()
        machine.deliveryStopped()
        if consent == .denied { machine.discardEnded() }
        #expect(machine.pendingCommands() == [.end])
    }

    @Test(arguments: 0..<100)
    func `random inputs never cause overlapping commands or sending without permission`(seed: UInt64) {
        var state = seed &* 2 &+ 1
        var machine = PipelineStateMachine(consent: Consent.allCases[Int(seed % 3)], isEnabled: seed % 2 == 0)
        var isDelivering = false
        var isStopping = false
        var isDiscarding = false
        var lastHold = 0
        var erasures = 0
        for _ in 0..<300 {
            while let command = machine.nextCommand() {
                switch command {
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
            #expect(machine.isIdle == (!isDelivering && !isDiscarding))
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
            machine.apply(input)
        }
    }
}

extension PipelineStateMachine {
    fileprivate mutating func pendingCommands() -> [Command] {
        var commands: [Command] = []
        while let command = nextCommand() {
            commands.append(command)
            if command == .end { break }
            if command == .startDelivery { deliveryBegan() }
        }
        return commands
    }

    fileprivate mutating func apply(_ input: PipelineStateMachineTests.Input) {
        switch input {
        case .grant: consentChanged(to: .granted)
        case .wait: consentChanged(to: .pending)
        case .deny: consentChanged(to: .denied)
        case .denyForCurrentUser: consentChanged(to: .denied, maySend: true)
        case .enable: setEnabled(true)
        case .disable: setEnabled(false)
        case .pause: setPaused(true)
        case .unpause: setPaused(false)
        case .shutDown: shutDown(within: .seconds(5))
        case .suspend: suspend(within: .milliseconds(200))
        case .resume: resume()
        case .beginErase: eraseBegan()
        case .endErase: eraseEnded()
        case .held: deliveryHeld(1)
        case .earlierHoldReached: deliveryHeld(1)
        case .stopped: deliveryStopped()
        case .discarded: discardEnded()
        }
    }
}
