// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SparkChamberCompatibility
import SwiftUI
import UIKit

/// The triggers page inside SwiftUI.
struct TriggersPage: UIViewControllerRepresentable {
    let shop: Shop

    func makeUIViewController(context: Context) -> TriggersController {
        shop.recordTriggers()
        return TriggersController()
    }

    func updateUIViewController(_ controller: TriggersController, context: Context) {}
}

/// An element for each trigger, and below them the fired events, with the newest line first.
final class TriggersController: SparkViewController, UIScrollViewDelegate {
    let silent = UILabel(frame: .zero)
    let appearing = UILabel(frame: .zero)
    let disappearing = UILabel(frame: .zero)
    let touched = SparkButton(type: .system)
    let scrolled = UIScrollView(frame: .zero)
    let typed = TypedField(frame: .zero)
    let left = TypedField(frame: .zero)
    let acting = UIButton(type: .system)
    let trace = UILabel(frame: .zero)
    private var lines: [String] = []
    private var reading: Task<Void, Never>?

    deinit {
        reading?.cancel()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Triggers"
        view.backgroundColor = .systemBackground
        let elements: [(UIView, SparkTriggerType, String)] = [
            (silent, .none, "nothing"), (appearing, .didAppear, "the line came into sight"),
            (disappearing, .didDisappear, "the line went out of sight"),
            (touched, .didEndTouch, "the button was touched"),
            (scrolled, .didBeginScroll, "scrolling began"), (typed, .didBecomeFirstResponder, "typing began"),
            (left, .didResignFirstResponder, "typing ended"), (acting, .targetAction, "the button did its work"),
        ]
        for (index, (element, trigger, sentence)) in elements.enumerated() {
            element.frame = CGRect(x: 20, y: 100 + 44 * index, width: 335, height: 40)
            element.accessibilityIdentifier = "\(trigger)"
            element.sparkEvents = [SparkEvent(trigger: trigger, trace: sentence, action: nil)]
            view.addSubview(element)
        }
        silent.text = "none: never fires"
        appearing.text = "didAppear: open this page"
        disappearing.text = "didDisappear: leave the page and return"
        touched.setTitle("didEndTouch: touch me", for: .normal)
        scrolled.contentSize = CGSize(width: 335, height: 400)
        scrolled.delegate = self
        let hint = UILabel(frame: CGRect(x: 0, y: 0, width: 335, height: 40))
        hint.text = "didBeginScroll: drag me"
        scrolled.addSubview(hint)
        typed.placeholder = "didBecomeFirstResponder: type here"
        left.placeholder = "didResignFirstResponder: then tap elsewhere"
        acting.setTitle("targetAction: press me", for: .normal)
        acting.addAction(
            UIAction { action in SparkDetector.trackTargetAction(forView: action.sender as? UIView) },
            for: .touchUpInside
        )
        trace.frame = CGRect(x: 20, y: 470, width: 335, height: 300)
        trace.numberOfLines = 0
        trace.accessibilityIdentifier = "trace"
        view.addSubview(trace)
        follow()
    }

    private func follow() {
        let reports = SparkDetector.trace.reports()
        reading = Task { [weak self] in
            for await report in reports { self?.show(line(of: report)) }
        }
    }

    private func show(_ line: String) {
        lines = Array(([line] + lines).prefix(12))
        trace.text = lines.joined(separator: "\n")
    }
}

/// A text field that reports when editing begins and ends.
final class TypedField: UITextField {
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

/// Formats a report as a line that fits the page: without the event's identifier, because the elements have names.
private func line(of report: TriggerReport) -> String {
    guard let identifier = report.identifier else { return "\(report)" }
    return "\(report)".replacingOccurrences(of: "  [\(identifier)]", with: "")
}
