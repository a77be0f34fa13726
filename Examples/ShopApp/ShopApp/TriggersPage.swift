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
    let silentLabel = UILabel(frame: .zero)
    let appearingLabel = UILabel(frame: .zero)
    let disappearingLabel = UILabel(frame: .zero)
    let touchButton = SparkButton(type: .system)
    let scrollView = UIScrollView(frame: .zero)
    let beginEditingField = TypedField(frame: .zero)
    let endEditingField = TypedField(frame: .zero)
    let actionButton = UIButton(type: .system)
    let trace = UILabel(frame: .zero)
    private var lines: [String] = []
    private var traceTask: Task<Void, Never>?

    deinit {
        traceTask?.cancel()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Triggers"
        view.backgroundColor = .systemBackground
        let elements: [(UIView, SparkTriggerType, String)] = [
            (silentLabel, .none, "nothing"), (appearingLabel, .didAppear, "the line came into sight"),
            (disappearingLabel, .didDisappear, "the line went out of sight"),
            (touchButton, .didEndTouch, "the button was touched"),
            (scrollView, .didBeginScroll, "scrolling began"),
            (beginEditingField, .didBecomeFirstResponder, "typing began"),
            (endEditingField, .didResignFirstResponder, "typing ended"),
            (actionButton, .targetAction, "the button did its work"),
        ]
        for (index, (element, trigger, sentence)) in elements.enumerated() {
            element.frame = CGRect(x: 20, y: 100 + 44 * index, width: 335, height: 40)
            element.accessibilityIdentifier = "\(trigger)"
            element.sparkEvents = [SparkEvent(trigger: trigger, trace: sentence, action: nil)]
            view.addSubview(element)
        }
        silentLabel.text = "none: never fires"
        appearingLabel.text = "didAppear: open this page"
        disappearingLabel.text = "didDisappear: leave the page and return"
        touchButton.setTitle("didEndTouch: touch me", for: .normal)
        scrollView.contentSize = CGSize(width: 335, height: 400)
        scrollView.delegate = self
        let hint = UILabel(frame: CGRect(x: 0, y: 0, width: 335, height: 40))
        hint.text = "didBeginScroll: drag me"
        scrollView.addSubview(hint)
        beginEditingField.placeholder = "didBecomeFirstResponder: type here"
        endEditingField.placeholder = "didResignFirstResponder: then tap elsewhere"
        actionButton.setTitle("targetAction: press me", for: .normal)
        actionButton.addAction(
            UIAction { action in SparkDetector.trackTargetAction(forView: action.sender as? UIView) },
            for: .touchUpInside
        )
        trace.frame = CGRect(x: 20, y: 470, width: 335, height: 300)
        trace.numberOfLines = 0
        trace.accessibilityIdentifier = "trace"
        view.addSubview(trace)
        observeTrace()
    }

    private func observeTrace() {
        let reports = SparkDetector.trace.reports()
        traceTask = Task { [weak self] in
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
