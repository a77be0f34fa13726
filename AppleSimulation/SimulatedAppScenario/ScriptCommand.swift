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
/// - `launch user|background|prewarmed`: prints `installation ID`. Before a prewarmed launch, the process's
///   environment must contain `ActivePrewarm=1`, as set by the system.
/// - `restart`: before a launch, the phone restarts and stays locked: no file can be read until `unlock`
/// - `open`: the user returns to the app; `home`: the user leaves it; `suspend`: the system suspends it
/// - `lock`, `unlock`, `interrupt` (a call starts), `resume` (the call ends), `expire` (the background time ends)
/// - `window`: opens another window; `close`: closes the last one
/// - `tap NAME`: taps a SwiftUI view by its identifier or text; `back`
/// - `touch ID`: touches a UIKit view; `scroll ID POINTS`; `type ID LETTERS`
/// - `help`: presents a sheet with UIKit screens; `letter`, `list`: push the next one; `close-help`: dismisses the sheet
/// - `later SECONDS`: advances the clock without waiting
/// - `sign-in NAME`
/// - `flush`: prints `pending COUNT`; `deliver`: starts a flush without waiting for it
/// - `record NAME`: the app records an event, as it may after a push notification
/// - `logged` (events recorded by this process, including those not on disk yet), `running`: print `count NUMBER`
/// - `recorded`, `dropped`, `work` (tasks that keep the app awake): print `count NUMBER`; `read TEXT`: prints `count 1`
///   if the text is on the screen, else `count 0`
/// - `decide`, `describe`, `snapshot`, `report-crash`, `sign-out`, `erase`: the steps of ``FirstDay``
/// - `swipe-away`: the user swipes the app away in the app switcher; the process exits
/// - `kill`: kills the process without notifying the app
@MainActor
struct ScriptCommand {
    private let session: AppSession

    init(_ session: AppSession) {
        self.session = session
    }

    /// Executes one command.
    ///
    /// Returns when the SDK has processed all resulting system notifications.
    func execute(_ words: [String]) async throws {
        let name = words.dropFirst().joined(separator: " ")
        switch words.first {
        case "launch":
            try session.launch(try launchReason(name))
            SimulatedAppScenario.printLine("installation \(try analytics.installationID)")
        case "flush":
            let report = await (try analytics).flush(timeout: .seconds(5))
            SimulatedAppScenario.printLine("pending \(report.destinations.values.reduce(0) { $0 + $1.pending })")
        case "deliver":
            let analytics = try analytics
            Task { _ = await analytics.flush(timeout: .seconds(60)) }
        case "recorded": SimulatedAppScenario.printLine("count \(try analytics.ledger().recorded)")
        case "dropped":
            let dropped = try analytics.ledger().destinations.values.reduce(0) { sum, account in
                sum + account.dropped.values.reduce(0, +)
            }
            SimulatedAppScenario.printLine("count \(dropped)")
        case "record": (try analytics).record(name)
        case "logged": SimulatedAppScenario.printLine("count \(session.environment.recordedCount)")
        case "running": SimulatedAppScenario.printLine("count \(session.phone.isRunning ? 1 : 0)")
        case "work": SimulatedAppScenario.printLine("count \(session.phone.backgroundWork.count)")
        case "read": SimulatedAppScenario.printLine("count \(isShown(name) ? 1 : 0)")
        case "sign-in": session.shop?.signIn(name)
        case "decide", "describe", "snapshot", "report-crash", "sign-out", "erase":
            try await FirstDay.execute(words[0], try analytics)
        case "kill": Foundation.kill(getpid(), SIGKILL)
        default: try executePhoneCommand(words, name)
        }
        if let analytics = session.analytics {
            await analytics.lifecycle.dispatcher.waitUntilSettled()
            // The system ends a backgrounded app after its background task, which waits for the state to be saved. A
            // kill before that is not covered here: the exit it interrupts is reported twice
            // (Documentation/KnownConcerns.md).
            await analytics.lifecycle.controller.waitUntilSaved()
        }
        if words.first == "swipe-away" { exit(0) }
    }

    private func executePhoneCommand(_ words: [String], _ name: String) throws {
        let phone = session.phone
        switch words.first {
        case "open": phone.openApp()
        case "home": phone.pressHome()
        case "suspend": phone.suspend()
        case "lock": phone.lock()
        case "unlock":
            session.environment.unlock()
            phone.unlock()
        case "restart": session.restart()
        case "interrupt": phone.interrupt()
        case "resume": phone.endInterruption()
        case "expire": phone.expireBackgroundTime()
        case "window": phone.openWindow()
        case "close":
            guard let scene = phone.scenes.last else { throw Failure(description: "no open window") }
            phone.disconnect(scene)
        case "swipe-away": phone.swipeAway()
        case "tap":
            guard session.screen?.tap(name) == true else { throw Failure(description: "no such element accepts taps") }
        case "back": session.screen?.goBack()
        case "help", "letter", "list", "close-help": try executeHelpCommand(words[0])
        case "later":
            guard words.count == 2, let seconds = Int64(words[1]) else { throw Failure(description: "how long?") }
            session.environment.advance(by: .seconds(seconds))
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

    private func executeHelpCommand(_ word: String) throws {
        guard let root = session.phone.topWindow?.rootViewController else { throw Failure(description: "no window") }
        let sheet = root.presentedViewController as? UINavigationController
        switch word {
        case "help":
            root.present(UINavigationController(rootViewController: HelpViewController()), animated: false)
        case "list": sheet?.pushViewController(ListController(style: .plain), animated: false)
        case "letter": sheet?.pushViewController(LetterViewController(), animated: false)
        default: root.dismiss(animated: false)
        }
    }

    private var analytics: Analytics {
        get throws {
            guard let analytics = session.analytics else { throw Failure(description: "the app is not running") }
            return analytics
        }
    }

    private func launchReason(_ word: String) throws -> SimulatedPhone.LaunchReason {
        switch word {
        case "user": return .user
        case "background": return .background
        case "prewarmed": return .prewarmed
        default: throw Failure(description: "unknown launch reason")
        }
    }

    private func view(_ identifier: String) throws -> UIView {
        guard let view = session.view(identifier) else { throw Failure(description: "unknown view \(identifier)") }
        return view
    }

    /// Whether a text is shown in a SwiftUI view or on a UIKit label in the top window.
    private func isShown(_ text: String) -> Bool {
        if session.screen?.texts.contains(where: { $0.contains(text) }) == true { return true }
        var views: [UIView] = session.phone.topWindow.map { [$0] } ?? []
        while let view = views.popLast() {
            if (view as? UILabel)?.text?.contains(text) == true { return true }
            views += view.subviews
        }
        return false
    }
}
