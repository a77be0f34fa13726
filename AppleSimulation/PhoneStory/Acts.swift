// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SwiftUI
internal import Trackway
internal import UIKit

@testable internal import ShopApp

/// What can be done with the phone, one line each. A name with spaces is written as it is; it is the rest of its line.
///
/// - `launch person|background|prewarmed`: says `installation ID`. Before a prewarmed launch `ActivePrewarm=1` has to stand in
///   the process's environment, as the system puts it there.
/// - `restart`: before a launch, the phone starts anew and nobody unlocks it: no file can be read until `unlock`
/// - `open`: the person comes back to the app; `home`: leaves it; `suspend`: the system holds it still
/// - `lock`, `unlock`, `interrupt` (a call comes), `resume` (and is over), `expire` (the time in the background ends)
/// - `window`: another window; `close`: the last one goes
/// - `tap NAME`: a view of SwiftUI's, by its identifier or its text; `back`
/// - `touch ID`: a finger on a view of UIKit's; `scroll ID POINTS`; `type ID LETTERS`
/// - `help`: a sheet with screens of UIKit's comes; `letter`: its next one; `close-help`: it goes
/// - `later SECONDS`: so much time goes by at once
/// - `sign-in NAME`
/// - `flush`: says `pending COUNT`; `deliver`: begins the same, and waits for nothing
/// - `record NAME`: the app records an event of its own, as it may on a push
/// - `told` (events of this life, those included that wait for the disk), `running`: say `count NUMBER`
/// - `recorded`, `dropped`, `work` (tasks that keep the app awake): say `count NUMBER`; `read TEXT`: says `count 1` when it can be
///   read somewhere, else `count 0`
/// - `swipe-away`: the person throws the app out of the switcher; the process ends
/// - `kill`: the system ends the process without a word
@MainActor
struct Acts {
    private let life: Life

    init(_ life: Life) {
        self.life = life
    }

    /// Does one thing; returns when the SDK has dealt with what the system announced on the way.
    func carryOut(_ words: [String]) async throws {
        let name = words.dropFirst().joined(separator: " ")
        switch words.first {
        case "launch":
            try life.launch(try reason(name))
            PhoneStory.say("installation \(try analytics.installationID)")
        case "flush":
            let report = await (try analytics).flush(timeout: .seconds(5))
            PhoneStory.say("pending \(report.destinations.values.reduce(0) { $0 + $1.pending })")
        case "deliver":
            let analytics = try analytics
            Task { _ = await analytics.flush(timeout: .seconds(60)) }
        case "recorded": PhoneStory.say("count \(try analytics.ledger().recorded)")
        case "dropped":
            let dropped = try analytics.ledger().destinations.values.reduce(0) { sum, account in
                sum + account.dropped.values.reduce(0, +)
            }
            PhoneStory.say("count \(dropped)")
        case "record": (try analytics).record(name)
        case "told": PhoneStory.say("count \(life.neighbourhood.told)")
        case "running": PhoneStory.say("count \(life.phone.isRunning ? 1 : 0)")
        case "work": PhoneStory.say("count \(life.phone.backgroundWork.count)")
        case "read": PhoneStory.say("count \(canRead(name) ? 1 : 0)")
        case "sign-in": life.shop?.signedIn(name)
        case "kill": Foundation.kill(getpid(), SIGKILL)
        default: try play(words, name)
        }
        if let analytics = life.analytics {
            await analytics.lifecycle.follower.untilSettled()
            // The system ends an app that left once its background task is over, and that waits for the state. A kill before it is
            // written is not part of the story: the exit it cuts off is told a second time (Documentation/KnownConcerns.md).
            await analytics.lifecycle.behavior.untilKept()
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
            guard let scene = phone.scenes.last else { throw Failure(description: "there is no window") }
            phone.disconnect(scene)
        case "swipe-away": phone.swipeAway()
        case "tap":
            guard life.screen?.tap(name) == true else { throw Failure(description: "nothing there takes taps") }
        case "back": life.screen?.goBack()
        case "help", "letter", "close-help": try help(words[0])
        case "later":
            guard words.count == 2, let seconds = Int64(words[1]) else { throw Failure(description: "how long?") }
            life.neighbourhood.advance(by: .seconds(seconds))
        case "touch": phone.tap(try view(name))
        case "scroll":
            guard words.count == 3, let scroll = try view(words[1]) as? UIScrollView, let points = Int(words[2]) else {
                throw Failure(description: "nothing there scrolls")
            }
            scroll.simulate(scrollingBy: CGFloat(points))
        case "type":
            guard words.count == 3, let field = try view(words[1]) as? UITextField else {
                throw Failure(description: "nothing there takes letters")
            }
            field.simulate(typing: words[2])
        default: throw Failure(description: "there is no such act")
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
            guard let analytics = life.analytics else { throw Failure(description: "the app does not run") }
            return analytics
        }
    }

    private func reason(_ word: String) throws -> SimulatedPhone.LaunchReason {
        switch word {
        case "person": return .person
        case "background": return .background
        case "prewarmed": return .prewarmed
        default: throw Failure(description: "nobody launches for that")
        }
    }

    private func view(_ identifier: String) throws -> UIView {
        guard let view = life.view(identifier) else { throw Failure(description: "there is no view \(identifier)") }
        return view
    }

    /// Whether something can be read: in SwiftUI's views, or on a label of UIKit's beneath the window in front.
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
