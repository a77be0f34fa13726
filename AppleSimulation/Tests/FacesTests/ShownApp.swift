// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Foundation
import Trackway
import TrackwayEvents
import TrackwayTesting
import TrackwayUIKit
import UIKit

/// Lets the main thread turn once: compatibility modules speak to UIKit in its next turn.
@MainActor
func mainTurn() async {
    await withCheckedContinuation { turned in DispatchQueue.main.async { turned.resume() } }
}

/// An app on the simulated phone, with one window.
@MainActor
struct ShownApp {
    let phone = SimulatedPhone.new()
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))

    init() {
        SimulatedPhone.restoreMethods()
        phone.launch()
    }

    /// Shows a controller in the window, in place of the one before.
    func show(_ controller: UIViewController) {
        window.rootViewController = controller
        window.makeKeyAndVisible()
        window.layoutIfNeeded()
    }

    /// How many of the four methods are exchanged.
    var exchanged: Int {
        [
            UIViewController.simulatedViewDidAppear.isOriginal, UIViewController.simulatedViewDidDisappear.isOriginal,
            UIApplication.simulatedSendEvent.isOriginal, UIApplication.simulatedSendAction.isOriginal,
        ].count { !$0 }
    }
}

/// Controllers of the app's own.
class HomeController: UIViewController {}
final class SpecialHomeController: HomeController {}
final class ProductController: UIViewController {}
final class CartController: UIViewController {}

/// Says what its screen is called.
final class AccountController: UIViewController, NamedScreen {
    var screenName: String? { "Account" }
    var screenAttributes: Attributes { ["plan": "gold"] }
}

/// Says that it shows no screen.
final class BannerController: UIViewController, NamedScreen {
    var screenName: String? { nil }
}

/// Forgets to call `super`, so that nobody who hears of screens hears of it.
final class ForgetfulController: UIViewController {
    override func viewDidAppear(_ animated: Bool) {}
}

extension RecordedEvent {
    /// The text that an attribute of the event is.
    func text(_ name: String) -> String? { event.attributes[name]?.string }
}
