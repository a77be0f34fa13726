// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SwiftUI
internal import Trackway
internal import UIKit

@testable internal import ShopApp

/// Executes the script commands, one per line.
///
/// A name with spaces is not quoted; it extends to the end of its line.
///
/// - `launch person|background|prewarmed`: prints `installation ID`. Before a prewarmed launch, the process's
///   environment must contain `ActivePrewarm=1`, as set by the system.
/// - `restart`: before a launch, the phone restarts and stays locked: no file can be read until `unlock`
/// - `open`: the user returns to the app; `home`: the user leaves it; `suspend`: the system suspends it
/// - `lock`, `unlock`, `interrupt` (a call starts), `resume` (the call ends), `expire` (the background time ends)
/// - `window`: opens another window; `close`: closes the last one
/// - `tap NAME`: taps a SwiftUI view by its identifier or text; `back`
/// - `touch ID`: touches a UIKit view; `scroll ID POINTS`; `type ID LETTERS`
/// - `help`: presents a sheet with UIKit screens; `letter`: pushes the next one; `close-help`: dismisses the sheet
/// - `later SECONDS`: advances the clock without waiting
/// - `sign-in NAME`
/// - `flush`: prints `pending COUNT`; `deliver`: starts a flush without waiting for it
/// - `record NAME`: the app records an event, as it may after a push notification
/// - `told` (events recorded by this process, including those not on disk yet), `running`: print `count NUMBER`
/// - `recorded`, `dropped`, `work` (tasks that keep the app awake): print `count NUMBER`; `read TEXT`: prints `count 1`
///   if the text is on the screen, else `count 0`
/// - `swipe-away`: the user swipes the app away in the app switcher; the process exits
/// - `kill`: kills the process without notifying the app
@MainActor
struct Acts {
    private let life: Life

    init(_ life: Life) {
        self.life = life
    }

    /// Executes one command.
    ///
    /// Returns when the SDK has processed all resulting system notifications.
    func carryOut(_ words: [String]) async throws {
        let name = words.dropFirst().joined(separator: " ")
        switch words.first {
        case "launch":
            try life.launch(try reason(name))
            ScriptedPhone.say("installation \(try analytics.installationID)")
        case "flush":
            let report = await (try analytics).flush(timeout: .seconds(5))
            ScriptedPhone.say("pending \(report.destinations.values.reduce(0) { $0 + $1.pending })")
        case "deliver":
            let analytics = try analytics
            Task { _ = await analytics.flush(timeout: .seconds(60)) }
        case "recorded": ScriptedPhone.say("count \(try analytics.ledger().recorded)")
        case "dropped":
            let dropped = try analytics.ledger().destinations.values.reduce(0) { sum, account in
                sum + account.dropped.values.reduce(0, +)
            }
            ScriptedPhone.say("count \(dropped)")
        case "record": (try analytics).record(name)
        case "told": ScriptedPhone.say("count \(life.neighbourhood.told)")
        case "running": ScriptedPhone.say("count \(life.phone.isRunning ? 1 : 0)")
        case "work": ScriptedPhone.say("count \(life.phone.backgroundWork.count)")
        case "read": ScriptedPhone.say("count \(canRead(name) ? 1 : 0)")
        case "sign-in": life.shop?.signedIn(name)
        case "kill": Foundation.kill(getpid(), SIGKILL)
        default: try play(words, name)
        }
        if let analytics = life.analytics {
            await analytics.lifecycle.follower.untilSettled()
            // The system ends a backgrounded app after its background task, which waits for the state to be saved. A
            // kill before that is not covered here: the exit it interrupts is reported twice
            // (Documentation/KnownConcerns.md).
            await analytics.lifecycle.behavior.untilSaved()
        }
        if words.first == "swipe-away" { exit(0) }
    }

    private func play(_ words: [String], _ name: String) throws {
        let phone = life.phone
        switch words.first {
        case "open": phone.openApp()
        case "home": phone.pressHome()
        case "suspend": phone.suspend()
        case "lock": phone.lock()
        case "unlock":
            life.neighbourhood.unlock()
            phone.unlock()
        case "restart": life.restart()
        case "interrupt": phone.interrupt()
        case "resume": phone.endInterruption()
        case "expire": phone.expireBackgroundTime()
        case "window": phone.openWindow()
        case "close":
            guard let scene = phone.scenes.last else { throw Failure(description: "no open window") }
            phone.disconnect(scene)
        case "swipe-away": phone.swipeAway()
        case "tap":
            guard life.screen?.tap(name) == true else { throw Failure(description: "no such element accepts taps") }
        case "back": life.screen?.goBack()
        case "help", "letter", "close-help": try help(words[0])
        case "later":
            guard words.count == 2, let seconds = Int64(words[1]) else { throw Failure(description: "how long?") }
            life.neighbourhood.advance(by: .seconds(seconds))
        case "touch": phone.tap(try view(name))
        case "scroll":
            guard words.count == 3, let scroll = try view(words[1]) as? UIScrollView, let points = Int(words[2]) else {
                throw Failure(description: "no such scroll view")
            }
            scroll.simulate(scrollingBy: CGFloat(points))
        case "type":
            guard words.count == 3, let field = try view(words[1]) as? UITextField else {
                throw Failure(description: "no such text field")
            }
            field.simulate(typing: words[2])
        default: throw Failure(description: "unknown command")
        }
    }

    private func help(_ word: String) throws {
        guard let root = life.phone.topWindow?.rootViewController else { throw Failure(description: "no window") }
        let sheet = root.presentedViewController as? UINavigationController
        switch word {
        case "help":
            root.present(UINavigationController(rootViewController: HelpViewController()), animated: false)
        case "letter": sheet?.pushViewController(LetterViewController(), animated: false)
        default: root.dismiss(animated: false)
        }
    }

    private var analytics: Analytics {
        get throws {
            guard let analytics = life.analytics else { throw Failure(description: "the app is not running") }
            return analytics
        }
    }

    private func reason(_ word: String) throws -> SimulatedPhone.LaunchReason {
        switch word {
        case "person": return .person
        case "background": return .background
        case "prewarmed": return .prewarmed
        default: throw Failure(description: "unknown launch reason")
        }
    }

    private func view(_ identifier: String) throws -> UIView {
        guard let view = life.view(identifier) else { throw Failure(description: "unknown view \(identifier)") }
        return view
    }

    /// Whether a text is shown in a SwiftUI view or on a UIKit label in the top window.
    private func canRead(_ text: String) -> Bool {
        if life.screen?.texts.contains(where: { $0.contains(text) }) == true { return true }
        var views: [UIView] = life.phone.topWindow.map { [$0] } ?? []
        while let view = views.popLast() {
            if (view as? UILabel)?.text?.contains(text) == true { return true }
            views += view.subviews
        }
        return false
    }
}
