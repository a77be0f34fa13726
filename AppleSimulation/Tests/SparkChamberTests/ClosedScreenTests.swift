// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import Testing
import TrackwayTriggers
import TrackwayUIKit
import UIKit

/// Actions with weak or unowned references to a screen that is closed before they run.
@MainActor
@Suite(.serialized)
struct ClosedScreenTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let notes = Notes()

    init() {
        phone.launch()
    }

    private func show(_ controller: UIViewController) {
        window.rootViewController = controller
        window.makeKeyAndVisible()
        window.layoutIfNeeded()
    }

    @Test(arguments: Reference.allCases, SimulatedOrder.allCases)
    func aScreenThatIsPopped(reference: Reference, order: SimulatedOrder) async {
        phone.order = order
        let navigation = UINavigationController(rootViewController: UIViewController())
        show(navigation)
        for _ in 0..<3 {
            navigation.pushViewController(Page(notes, reference), animated: true)
            navigation.popViewController(animated: true)
            await waitForPendingActions()
        }
        #expect(notes.all == Array(repeating: ["seen page", "left page"], count: 3).flatMap { $0 })
        #expect(Page.instanceCount == 0)
    }

    @Test(arguments: Reference.allCases)
    func severalScreensThatArePoppedAtOnce(reference: Reference) async {
        let navigation = UINavigationController(rootViewController: UIViewController())
        show(navigation)
        navigation.pushViewController(Page(notes, reference), animated: false)
        navigation.pushViewController(Page(notes, reference), animated: false)
        navigation.popToRootViewController(animated: false)
        await waitForPendingActions()
        #expect(notes.all == ["seen page", "left page", "seen page", "left page"])
        #expect(Page.instanceCount == 0)
    }

    @Test(arguments: Reference.allCases, [UIModalPresentationStyle.pageSheet, .fullScreen])
    func aScreenThatIsDismissed(reference: Reference, style: UIModalPresentationStyle) async {
        let root = UIViewController()
        show(root)
        do {
            let page = Page(notes, reference)
            page.modalPresentationStyle = style
            root.present(page, animated: true)
        }
        root.dismiss(animated: true)
        await waitForPendingActions()
        #expect(notes.all == ["seen page", "left page"])
        #expect(Page.instanceCount == 0)
    }

    @Test(arguments: Reference.allCases)
    func aTabThatIsReplaced(reference: Reference) async {
        let tabs = UITabBarController()
        tabs.viewControllers = [Page(notes, reference), UIViewController()]
        show(tabs)
        tabs.simulate(tab: 1)
        tabs.viewControllers = [UIViewController()]
        await waitForPendingActions()
        #expect(notes.all == ["seen page", "left page"])
        #expect(Page.instanceCount == 0)
    }

    @Test(arguments: Reference.allCases)
    func aWindowWithANewRootController(reference: Reference) async {
        show(Page(notes, reference))
        window.rootViewController = UIViewController()
        await waitForPendingActions()
        #expect(notes.all == ["seen page", "left page"])
        #expect(Page.instanceCount == 0)
    }

    @Test(arguments: Reference.allCases)
    func aChildWithActionsThatReferToItsParent(reference: Reference) async {
        let navigation = UINavigationController(rootViewController: UIViewController())
        show(navigation)
        navigation.pushViewController(Outer(notes, reference), animated: true)
        navigation.popViewController(animated: true)
        await waitForPendingActions()
        #expect(notes.all == ["seen outer", "left outer"])
    }

    @Test(arguments: Reference.allCases)
    func aDeletedCell(reference: Reference) async {
        let rows = CellRows(notes, reference)
        let table = UITableView(frame: CGRect(x: 0, y: 0, width: 393, height: 132))
        table.dataSource = rows
        let controller = UIViewController()
        controller.view.addSubview(table)
        show(controller)
        rows.count = 0
        table.reloadData()
        await waitForPendingActions()
        #expect(notes.all.sorted() == ["left row 0", "left row 1", "seen row 0", "seen row 1"])
    }

    @Test(arguments: Reference.allCases)
    func aCellReusedBeforeItsActionRuns(reference: Reference) async {
        UITableView.simulate(making: SparkTableViewCell.self) {
            SparkTableViewCell(style: .default, reuseIdentifier: $0)
        }
        let rows = CellRows(notes, reference)
        rows.reusesCells = true
        rows.count = 10
        let table = UITableView(frame: CGRect(x: 0, y: 0, width: 393, height: 88))
        table.register(SparkTableViewCell.self, forCellReuseIdentifier: "row")
        table.dataSource = rows
        let controller = UIViewController()
        controller.view.addSubview(table)
        show(controller)
        for offset in [44, 88, 132] {
            table.contentOffset = CGPoint(x: 0, y: offset)
            window.layoutIfNeeded()
        }
        await waitForPendingActions()
        #expect(notes.all.filter { $0.hasPrefix("left") } == ["left row 0", "left row 1", "left row 2"])
        #expect(notes.all.filter { $0.hasPrefix("seen") } == (0...4).map { "seen row \($0)" })
    }

    @Test(arguments: Reference.allCases)
    func aViewRemovedInItsOwnAction(reference: Reference) async {
        let controller = SparkViewController()
        let notes = notes
        let button = SparkButton(frame: CGRect(x: 20, y: 100, width: 200, height: 50))
        button.sparkEvents = [
            SparkEvent(trigger: .didEndTouch, action: reference.action(to: button) { _ in notes.all.append("tapped") })
        ]
        controller.view.addSubview(button)
        show(controller)
        let tapped = button
        phone.tap(tapped)
        tapped.removeFromSuperview()
        window.rootViewController = UIViewController()
        await waitForPendingActions()
        #expect(notes.all == ["tapped"])
    }

    @Test func actionsRunImmediatelyIfTheAppChooses() async {
        defer { SparkDetector.actionTiming = .nextTurn }
        SparkDetector.actionTiming = .immediately
        let label = UILabel(frame: .zero)
        label.text = "shoes"
        let notes = notes
        label.sparkEvents = [
            SparkEvent(trigger: .didDisappear) { [unowned label] _ in
                MainActor.assumeIsolated { notes.all.append(label.text ?? "") }
            }
        ]
        #expect(SparkDetector.trackEndDisplaying(forViews: [label]))
        label.text = "used for something else"
        #expect(notes.all == ["shoes"])
        SparkDetector.actionTiming = .nextTurn
        #expect(SparkDetector.trackEndDisplaying(forViews: [label]))
        #expect(notes.all == ["shoes"])
        await waitForPendingActions()
        #expect(notes.all == ["shoes", "used for something else"])
    }

    @Test(arguments: [false, true])
    func SDKEventsKeepTheirScreen(isOnAQueue: Bool) async {
        let queue = DispatchQueue(label: "actions")
        let executor = TriggerExecutor { queue.async(execute: $0) }
        let detector = Detector()
        let notes = notes
        let navigation = UINavigationController(rootViewController: UIViewController())
        show(navigation)
        do {
            let page = UIViewController()
            let label = UILabel(frame: .zero)
            page.view.addSubview(label)
            label.triggerEvents = [
                isOnAQueue
                    ? TriggerEvent(.didDisappear, on: executor) { [weak page] _ in
                        let isThere = page != nil
                        DispatchQueue.main.async { MainActor.assumeIsolated { notes.all.append("left \(isThere)") } }
                    }
                    : TriggerEvent(.didDisappear) { [unowned page] _ in notes.all.append("left \(page.isViewLoaded)") }
            ]
            navigation.pushViewController(page, animated: false)
            detector.trackEndDisplaying(for: [label.triggerElement])
            navigation.popViewController(animated: false)
        }
        if isOnAQueue { await withCheckedContinuation { done in queue.async { done.resume() } } }
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(notes.all == ["left true"])
    }
}

/// How an action refers to its screen.
enum Reference: CaseIterable, Sendable {
    case weak
    case unowned

    @MainActor
    func action<Object: AnyObject>(
        to object: Object,
        _ action: @escaping @MainActor (Object) -> Void
    ) -> SparkEventActionBlock {
        switch self {
        case .weak:
            { [weak object] _ in
                let object = UncheckedReference(value: object)
                MainActor.assumeIsolated { if let object = object.value { action(object) } }
            }
        case .unowned:
            { [unowned object] _ in
                let object = UncheckedReference(value: object)
                MainActor.assumeIsolated { action(object.value) }
            }
        }
    }
}

private struct UncheckedReference<Value>: @unchecked Sendable {
    let value: Value
}

/// A screen whose view fires when it appears and disappears.
private final class Page: SparkViewController {
    nonisolated(unsafe) static var instanceCount = 0
    private let notes: Notes

    init(_ notes: Notes, _ reference: Reference) {
        self.notes = notes
        super.init(nibName: nil, bundle: nil)
        Self.instanceCount += 1
        view.sparkEvents = [
            SparkEvent(trigger: .didAppear, action: reference.action(to: self) { $0.notes.all.append("seen page") }),
            SparkEvent(trigger: .didDisappear, action: reference.action(to: self) { $0.notes.all.append("left page") }),
        ]
    }

    required init?(coder: NSCoder) { nil }

    deinit { Self.instanceCount -= 1 }
}

/// A screen with a child whose view has actions that refer to the outer screen.
private final class Outer: UIViewController {
    private let notes: Notes

    init(_ notes: Notes, _ reference: Reference) {
        self.notes = notes
        super.init(nibName: nil, bundle: nil)
        let child = SparkViewController()
        child.view.sparkEvents = [
            SparkEvent(trigger: .didAppear, action: reference.action(to: self) { $0.notes.all.append("seen outer") }),
            SparkEvent(
                trigger: .didDisappear,
                action: reference.action(to: self) { $0.notes.all.append("left outer") }
            ),
        ]
        addChild(child)
        view.addSubview(child.view)
    }

    required init?(coder: NSCoder) { nil }
}

/// Rows whose cells are not reused.
private final class CellRows: NSObject, UITableViewDataSource {
    private let notes: Notes
    private let reference: Reference
    var count = 2
    var reusesCells = false

    init(_ notes: Notes, _ reference: Reference) {
        self.notes = notes
        self.reference = reference
    }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { count }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell =
            reusesCells ? tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath) : SparkTableViewCell()
        cell.textLabel?.text = "row \(indexPath.row)"
        let notes = notes
        cell.sparkEvents = [
            SparkEvent(
                trigger: .didAppear,
                action: reference.action(to: cell) { notes.all.append("seen \($0.textLabel?.text ?? "")") }
            ),
            SparkEvent(
                trigger: .didDisappear,
                action: reference.action(to: cell) { notes.all.append("left \($0.textLabel?.text ?? "")") }
            ),
        ]
        return cell
    }
}
