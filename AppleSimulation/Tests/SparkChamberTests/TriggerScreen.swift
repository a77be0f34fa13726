// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import UIKit

/// Returns, for each trigger, an event that records its name.
@MainActor
func makeEvents(
    _ name: String,
    _ notes: Notes,
    _ triggers: [SparkTriggerType] = SparkTriggerType.allCases
) -> [SparkEvent] {
    triggers.map { trigger in
        SparkEvent(trigger: trigger) { _ in
            MainActor.assumeIsolated { notes.all.append("\(name) \(trigger)") }
        }
    }
}

/// A screen with an element for each kind of trigger.
///
/// Every element has events for every trigger.
final class TriggerScreen: SparkViewController, UIScrollViewDelegate, SimulatedActionTarget {
    let label = UILabel(frame: CGRect(x: 20, y: 60, width: 200, height: 40))
    let button = SparkButton(frame: CGRect(x: 20, y: 120, width: 200, height: 50))
    let scroll = UIScrollView(frame: CGRect(x: 20, y: 200, width: 200, height: 100))
    let field = TypingField(frame: CGRect(x: 20, y: 320, width: 200, height: 40))

    init(_ notes: Notes, triggers: [SparkTriggerType] = SparkTriggerType.allCases) {
        super.init(nibName: nil, bundle: nil)
        let named: [(String, UIView)] = [("label", label), ("button", button), ("scroll", scroll), ("field", field)]
        for (name, element) in named {
            element.sparkEvents = makeEvents(name, notes, triggers)
            view.addSubview(element)
        }
        view.sparkEvents = makeEvents("view", notes, triggers)
        scroll.delegate = self
        button.addTarget(self, action: "buy:", for: .touchUpInside)
    }

    required init?(coder: NSCoder) { nil }

    func simulatedPerform(_ action: Selector, from sender: Any?, for event: UIEvent?) -> Bool {
        SparkDetector.trackTargetAction(forView: sender as? UIView)
        return true
    }
}

/// A text field that notifies the detector when editing begins and ends.
final class TypingField: UITextField {
    override func becomeFirstResponder() -> Bool {
        let wasFirst = isFirstResponder
        guard super.becomeFirstResponder() else { return false }
        if !wasFirst { SparkDetector.trackBecameFirstResponder(forView: self) }
        return true
    }

    override func resignFirstResponder() -> Bool {
        let wasFirst = isFirstResponder
        guard super.resignFirstResponder() else { return false }
        if wasFirst { SparkDetector.trackResignedFirstResponder(forView: self) }
        return true
    }
}
