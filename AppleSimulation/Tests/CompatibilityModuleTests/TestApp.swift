// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Foundation
import Trackway
import TrackwayCore
import TrackwayTesting
import TrackwayUIKit
import UIKit

/// Waits for one turn of the main queue, in which compatibility modules call UIKit.
@MainActor
func mainQueueTurn() async {
    await withCheckedContinuation { turned in DispatchQueue.main.async { turned.resume() } }
}

/// An app on the simulated phone, with one window.
@MainActor
struct TestApp {
    let phone = SimulatedPhone.new()
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))

    init() {
        SimulatedPhone.restoreMethods()
        phone.launch()
    }

    /// Shows a controller as the root of the window.
    func show(_ controller: UIViewController) {
        window.rootViewController = controller
        window.makeKeyAndVisible()
        window.layoutIfNeeded()
    }

    /// The number of the four methods that are exchanged.
    var exchangedMethodCount: Int {
        [
            UIViewController.simulatedViewDidAppear.isOriginal, UIViewController.simulatedViewDidDisappear.isOriginal,
            UIApplication.simulatedSendEvent.isOriginal, UIApplication.simulatedSendAction.isOriginal,
        ].count { !$0 }
    }
}

/// The app's controllers.
class HomeController: UIViewController {}
final class SpecialHomeController: HomeController {}
final class ProductController: UIViewController {}
final class CartController: UIViewController {}

/// A controller that provides its screen name.
final class AccountController: UIViewController, NamedScreen {
    var screenName: String? { "Account" }
    var screenAttributes: Attributes { ["plan": "gold"] }
}

/// A controller that declares that it is not a screen.
final class BannerController: UIViewController, NamedScreen {
    var screenName: String? { nil }
}

/// A controller that does not call `super`, so that its appearance is not observed.
final class ControllerWithoutSuper: UIViewController {
    override func viewDidAppear(_ animated: Bool) {}
}

extension RecordedEvent {
    /// Returns a string attribute of the event.
    func text(_ name: String) -> String? { event.attributes[name]?.string }
}
