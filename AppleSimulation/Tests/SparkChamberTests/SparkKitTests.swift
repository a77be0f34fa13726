// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import Testing
import UIKit

/// The reports of SparkKit's classes to the detector while a user uses the phone.
@MainActor
@Suite(.serialized)
struct SparkKitTests {
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

    private func events(_ triggers: SparkTriggerType..., of name: String) -> [SparkEvent] {
        let notes = notes
        return triggers.map { trigger in
            SparkEvent(trigger: trigger) { _ in
                MainActor.assumeIsolated { notes.all.append("\(name) \(trigger)") }
            }
        }
    }

    @Test func aButtonFiresWhenTheFingerIsLiftedInside() async {
        let controller = UIViewController()
        let button = SparkButton(frame: CGRect(x: 20, y: 100, width: 200, height: 50))
        button.sparkEvents = events(.didEndTouch, of: "buy")
        controller.view.addSubview(button)
        show(controller)
        phone.drag(from: button, to: CGPoint(x: 380, y: 800))
        button.isUserInteractionEnabled = false
        phone.tap(button)
        await waitForPendingActions()
        #expect(notes.all.isEmpty)
        button.isUserInteractionEnabled = true
        phone.tap(button)
        await waitForPendingActions()
        #expect(notes.all == ["buy didEndTouch"])
    }

    @Test func aNestedButtonFiresItsOwnEvents() async {
        let controller = UIViewController()
        let outer = UIView(frame: CGRect(x: 0, y: 100, width: 393, height: 200))
        outer.sparkEvents = events(.didEndTouch, of: "outer")
        let button = SparkButton(frame: CGRect(x: 20, y: 20, width: 200, height: 50))
        button.sparkEvents = events(.didEndTouch, .didAppear, .didEndTouch, of: "buy")
        outer.addSubview(button)
        controller.view.addSubview(outer)
        show(controller)
        phone.tap(button)
        await waitForPendingActions()
        #expect(notes.all == ["buy didEndTouch", "buy didEndTouch"])
    }

    @Test func aScreenReportsItsViewAndDirectSubviews() async {
        let controller = SparkViewController()
        let label = UILabel(frame: .zero)
        let nested = UILabel(frame: .zero)
        label.sparkEvents = events(.didAppear, .didDisappear, of: "label")
        nested.sparkEvents = events(.didAppear, of: "nested")
        controller.view.sparkEvents = events(.didAppear, .didDisappear, of: "view")
        label.addSubview(nested)
        controller.view.addSubview(label)
        let navigation = UINavigationController(rootViewController: controller)
        show(navigation)
        navigation.pushViewController(UIViewController(), animated: false)
        await waitForPendingActions()
        #expect(notes.all == ["label didAppear", "view didAppear", "label didDisappear", "view didDisappear"])
    }

    @Test(arguments: [true, false])
    func cellsAppearAndDisappearOnceWithAnyDelegate(isSparks: Bool) async {
        UITableView.simulate(making: SparkTableViewCell.self) {
            SparkTableViewCell(style: .default, reuseIdentifier: $0)
        }
        let list = ListScreen(notes)
        let other = OtherDelegate()
        list.table.delegate = isSparks ? list : other
        show(list)
        await waitForPendingActions()
        #expect(notes.all == ["row 0 didAppear", "row 1 didAppear"])
        notes.all = []
        list.table.contentOffset = CGPoint(x: 0, y: 400)
        window.layoutIfNeeded()
        await waitForPendingActions()
        #expect(notes.all.sorted() == ["row 0 didDisappear", "row 2 didAppear"])
        notes.all = []
        // Reused for the row that it showed before.
        list.table.contentOffset = .zero
        window.layoutIfNeeded()
        window.layoutIfNeeded()
        await waitForPendingActions()
        #expect(notes.all.sorted() == ["row 0 didAppear", "row 2 didDisappear"])
    }

    @Test func singleFireEventsFireOnceDespiteCellReuse() async {
        UITableView.simulate(making: SparkTableViewCell.self) {
            SparkTableViewCell(style: .default, reuseIdentifier: $0)
        }
        let notes = notes
        let run = UUID().uuidString
        let list = ListScreen { row in
            let action: SparkEventActionBlock = { _ in MainActor.assumeIsolated { notes.all.append("row \(row)") } }
            return [SparkEvent.once(id: "\(run) \(row)", trigger: .didAppear, action: action)]
        }
        list.table.delegate = list
        show(list)
        for offset in [400, 800, 0, 800, 400, 0] {
            list.table.contentOffset = CGPoint(x: 0, y: offset)
            window.layoutIfNeeded()
        }
        await waitForPendingActions()
        #expect(notes.all == ["row 0", "row 1", "row 2", "row 3"])
    }

    @Test func aTouchInACellReachesTheCellAndSelectsItsRow() async {
        let list = ListScreen(notes, triggers: [.didEndTouch, .targetAction])
        list.table.delegate = list
        UITableView.simulate(making: SparkTableViewCell.self) {
            SparkTableViewCell(style: .default, reuseIdentifier: $0)
        }
        show(list)
        phone.tap(at: CGPoint(x: 100, y: 200), in: window)
        await waitForPendingActions()
        #expect(notes.all == ["row 0 didEndTouch", "row 0 targetAction"])
    }

    @Test func scrollingBeginsOnceForAFinger() async {
        let list = ListScreen(notes, triggers: [])
        list.table.delegate = list
        list.table.sparkEvents = events(.didBeginScroll, of: "table")
        show(list)
        list.table.simulate(scrollingBy: 30)
        list.table.contentOffset = CGPoint(x: 0, y: 50)
        await waitForPendingActions()
        #expect(notes.all == ["table didBeginScroll"])
    }

    @Test func itemsOfCollections() async {
        UICollectionView.simulate(making: SparkCollectionViewCell.self) { SparkCollectionViewCell(frame: .zero) }
        let grid = GridScreen(notes)
        show(grid)
        grid.collection.contentOffset = CGPoint(x: 0, y: 450)
        window.layoutIfNeeded()
        phone.tap(at: CGPoint(x: 100, y: 300), in: window)
        await waitForPendingActions()
        #expect(notes.all.filter { $0.hasPrefix("item 0") } == ["item 0 didAppear", "item 0 didDisappear"])
        #expect(notes.all.suffix(2) == ["item 1 didEndTouch", "item 1 targetAction"])
        #expect(Set(notes.all).count == notes.all.count)
    }

    @Test func headersFootersAndSupplementaryViews() async {
        let controller = SparkViewController()
        let table = UITableView(frame: .zero)
        let collection = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
        let path = IndexPath(row: 0, section: 0)
        let (header, footer, beside) = (UIView(), UIView(), UICollectionReusableView(frame: .zero))
        for (view, name) in [(header, "header"), (footer, "footer"), (beside, "supplementary")] {
            view.sparkEvents = events(.didAppear, .didDisappear, of: name)
        }
        controller.tableView(table, willDisplayHeaderView: header, forSection: 0)
        controller.tableView(table, willDisplayFooterView: footer, forSection: 0)
        controller.collectionView(collection, willDisplaySupplementaryView: beside, forElementKind: "", at: path)
        controller.tableView(table, didEndDisplayingHeaderView: header, forSection: 0)
        controller.tableView(table, didEndDisplayingFooterView: footer, forSection: 0)
        controller.collectionView(
            collection,
            didEndDisplayingSupplementaryView: beside,
            forElementOfKind: "",
            at: path
        )
        await waitForPendingActions()
        #expect(
            notes.all == [
                "header didAppear", "footer didAppear", "supplementary didAppear", "header didDisappear",
                "footer didDisappear", "supplementary didDisappear",
            ]
        )
    }

    @Test func theDetectorHandlesForeignAndNestedViews() {
        let view = UIView(frame: .zero)
        #expect(!SparkDetector.trackDisplay(forViews: [view, NSObject()]))
        #expect(!SparkDetector.trackDisplay(forViews: [view]))
        #expect(!SparkDetector.trackBeganScrolling(forScrollView: nil))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [UITouch.simulated(.ended, in: nil)])))
        let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
        cell.contentView.frame = CGRect(x: 0, y: 0, width: 100, height: 40)
        cell.sparkEvents = events(.didEndTouch, of: "cell")
        let inside = UITouch.simulated(.ended, in: cell.contentView, at: CGPoint(x: 5, y: 5))
        #expect(SparkDetector.trackEnded(withTouches: NSSet(array: [inside])))
        let outside = UITouch.simulated(.ended, in: cell.contentView, at: CGPoint(x: 500, y: 5))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [outside])))
        let began = UITouch.simulated(.began, in: cell.contentView, at: CGPoint(x: 5, y: 5))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [began])))
    }
}
