// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import Testing
import UIKit

/// An appearance counts once until the view disappears, even if it is reported repeatedly.
@MainActor
@Suite(.serialized)
struct ImpressionsTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 800))
    private let notes = Notes()

    init() {
        phone.launch()
        UITableView.simulate(making: SparkTableViewCell.self) {
            SparkTableViewCell(style: .default, reuseIdentifier: $0)
        }
        UICollectionView.simulate(making: SparkCollectionViewCell.self) { SparkCollectionViewCell(frame: .zero) }
    }

    private func show(_ controller: UIViewController) {
        window.rootViewController = controller
        window.makeKeyAndVisible()
        window.layoutIfNeeded()
    }

    /// Returns the events since the last call.
    private func takeEvents() async -> [String] {
        await waitForPendingActions()
        defer { notes.all = [] }
        return notes.all.sorted()
    }

    @Test(arguments: Kind.allCases, SimulatedOrder.allCases)
    func aListAsTheControllersView(kind: Kind, order: SimulatedOrder) async {
        phone.order = order
        let list = kind.make(notes)
        let navigation = UINavigationController(rootViewController: list)
        show(navigation)
        #expect(await takeEvents() == ["0 didAppear", "1 didAppear"])
        navigation.simulateCanceledSwipeBack()
        navigation.pushViewController(UIViewController(), animated: true)
        #expect(await takeEvents() == ["0 didDisappear", "1 didDisappear"])
        navigation.simulateCanceledSwipeBack()
        #expect(await takeEvents() == [])
        navigation.popViewController(animated: true)
        window.layoutIfNeeded()
        #expect(await takeEvents() == ["0 didAppear", "1 didAppear"])
        let cover = UIViewController()
        cover.modalPresentationStyle = .fullScreen
        list.present(cover, animated: true)
        #expect(await takeEvents() == ["0 didDisappear", "1 didDisappear"])
        list.dismiss(animated: true)
        window.layoutIfNeeded()
        #expect(await takeEvents() == ["0 didAppear", "1 didAppear"])
        navigation.setViewControllers([UIViewController()], animated: false)
        #expect(await takeEvents() == ["0 didDisappear", "1 didDisappear"])
    }

    @Test(arguments: [Kind.table, .plainTable])
    func rowsThatScroll(kind: Kind) async {
        let list = kind.make(notes)
        show(list)
        _ = await takeEvents()
        let table = list.view as? UITableView
        table?.contentOffset = CGPoint(x: 0, y: 400)
        window.layoutIfNeeded()
        #expect(await takeEvents() == ["0 didDisappear", "2 didAppear"])
        list.viewDidDisappear(false)
        #expect(await takeEvents() == ["1 didDisappear", "2 didDisappear"])
        list.viewDidAppear(false)
        #expect(await takeEvents() == ["1 didAppear", "2 didAppear"])
        table?.contentOffset = .zero
        window.layoutIfNeeded()
        #expect(await takeEvents() == ["0 didAppear", "2 didDisappear"])
    }

    @Test func extraCallsForSelfReportingCells() async {
        let controller = CallingController(notes)
        show(controller)
        #expect(await takeEvents() == ["0 didAppear", "1 didAppear"])
        controller.table.contentOffset = CGPoint(x: 0, y: 400)
        window.layoutIfNeeded()
        #expect(await takeEvents() == ["0 didDisappear", "2 didAppear"])
        #expect(controller.results.allSatisfy { $0 })
    }

    @Test func callsForADetachedCellCountLikeOthers() async {
        let cell = SparkTableViewCell()
        cell.sparkEvents = makeEvents("cell", notes, [.didAppear, .didDisappear])
        #expect(SparkDetector.trackEndDisplaying(forViews: [cell]))
        #expect(SparkDetector.trackDisplay(forViews: [cell]))
        #expect(SparkDetector.trackEndDisplaying(forViews: [cell]))
        #expect(await takeEvents() == ["cell didAppear", "cell didDisappear", "cell didDisappear"])
        cell.sparkEvents = []
        #expect(!SparkDetector.trackDisplay(forViews: [cell]))
        let view = UIView()
        view.sparkEvents = makeEvents("view", notes, [.didAppear])
        for _ in 0..<2 { #expect(SparkDetector.trackDisplay(forViews: [view])) }
        #expect(await takeEvents() == ["view didAppear", "view didAppear"])
    }

    @Test func aChildControllersViewIsItsParentsSubview() async {
        let (parent, child) = (SparkViewController(), SparkViewController())
        child.view.sparkEvents = makeEvents("child", notes, [.didAppear, .didDisappear])
        parent.addChild(child)
        parent.view.addSubview(child.view)
        let navigation = UINavigationController(rootViewController: parent)
        show(navigation)
        #expect(await takeEvents() == ["child didAppear"])
        navigation.pushViewController(UIViewController(), animated: false)
        #expect(await takeEvents() == ["child didDisappear"])
    }

    @Test func aRemovedViewAppearsAgainWhenAdded() async {
        let controller = SparkViewController()
        let label = UILabel()
        label.sparkEvents = makeEvents("label", notes, [.didAppear, .didDisappear])
        controller.view.addSubview(label)
        show(controller)
        #expect(await takeEvents() == ["label didAppear"])
        label.removeFromSuperview()
        controller.viewDidDisappear(false)
        controller.viewDidAppear(false)
        controller.view.addSubview(label)
        controller.viewDidDisappear(false)
        #expect(await takeEvents() == ["label didDisappear"])
        controller.viewDidAppear(false)
        #expect(await takeEvents() == ["label didAppear"])
        controller.viewDidAppear(false)
        #expect(await takeEvents() == [])
    }

    @Test func cellsOfEveryKindAreMadeWithoutArguments() {
        let cells: [UIView] = [
            UITableViewCell(), UICollectionViewCell(), UICollectionViewListCell(), SparkTableViewCell(),
            SparkCollectionViewCell(), UICollectionReusableView(), SparkButton(),
        ]
        #expect(cells.allSatisfy { $0.frame == .zero })
        #expect(UITableViewCell(frame: CGRect(x: 0, y: 0, width: 5, height: 5)).frame.width == 5)
    }

    @Test func aPrefetchedRowAppearsWhenItBecomesVisible() async {
        let list = TableController(notes, makesSparkCells: true)
        let prefetching = Prefetching()
        list.table.prefetchDataSource = prefetching
        show(list)
        #expect(prefetching.rows == [2])
        #expect(await takeEvents() == ["0 didAppear", "1 didAppear"])
        list.table.contentOffset = CGPoint(x: 0, y: 400)
        window.layoutIfNeeded()
        #expect(await takeEvents() == ["0 didDisappear", "2 didAppear"])
    }
}

enum Kind: CaseIterable, Sendable {
    case table
    case plainTable
    case collection

    @MainActor
    func make(_ notes: Notes) -> SparkViewController {
        switch self {
        case .table: TableController(notes, makesSparkCells: true)
        case .plainTable: TableController(notes, makesSparkCells: false)
        case .collection: CollectionController(notes)
        }
    }
}

@MainActor
private func cell(in table: UITableView, _ row: Int, _ notes: Notes, isSparks: Bool = true) -> UITableViewCell {
    let name = isSparks ? "spark" : "plain"
    let cell =
        table.dequeueReusableCell(withIdentifier: name) ?? UITableViewCell(style: .default, reuseIdentifier: name)
    cell.sparkEvents = makeEvents("\(row)", notes, [.didAppear, .didDisappear])
    return cell
}

/// A screen whose view is its table, with rows 400 points high.
private final class TableController: SparkViewController, UITableViewDataSource, UITableViewDelegate {
    let table = UITableView(frame: CGRect(x: 0, y: 0, width: 393, height: 800))
    private let notes: Notes
    private let makesSparkCells: Bool

    init(_ notes: Notes, makesSparkCells: Bool) {
        self.notes = notes
        self.makesSparkCells = makesSparkCells
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func loadView() {
        table.rowHeight = 400
        table.dataSource = self
        table.delegate = self
        table.register(SparkTableViewCell.self, forCellReuseIdentifier: "spark")
        view = table
    }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 10 }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        cell(in: tableView, indexPath.row, notes, isSparks: makesSparkCells)
    }
}

/// A screen whose view is its collection, with two visible items.
private final class CollectionController: SparkViewController, UICollectionViewDataSource, UICollectionViewDelegate {
    private let notes: Notes

    init(_ notes: Notes) {
        self.notes = notes
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func loadView() {
        let layout = UICollectionViewFlowLayout()
        layout.itemSize = CGSize(width: 390, height: 440)
        let frame = CGRect(x: 0, y: 0, width: 393, height: 800)
        let collection = UICollectionView(frame: frame, collectionViewLayout: layout)
        collection.dataSource = self
        collection.delegate = self
        collection.register(SparkCollectionViewCell.self, forCellWithReuseIdentifier: "item")
        view = collection
    }

    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { 10 }

    func collectionView(
        _ collectionView: UICollectionView,
        cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "item", for: indexPath)
        cell.sparkEvents = makeEvents("\(indexPath.item)", notes, [.didAppear, .didDisappear])
        return cell
    }
}

/// A screen that does not belong to SparkKit and calls the detector for SparkKit's cells.
private final class CallingController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    let table = UITableView(frame: CGRect(x: 0, y: 0, width: 393, height: 800))
    private let notes: Notes
    private(set) var results: [Bool] = []

    init(_ notes: Notes) {
        self.notes = notes
        super.init(nibName: nil, bundle: nil)
        table.rowHeight = 400
        table.dataSource = self
        table.delegate = self
        table.register(SparkTableViewCell.self, forCellReuseIdentifier: "spark")
        view.addSubview(table)
    }

    required init?(coder: NSCoder) { nil }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 10 }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        cell(in: tableView, indexPath.row, notes)
    }

    func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {
        results.append(SparkDetector.trackDisplay(forViews: [cell]))
    }

    func tableView(_ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath) {
        results.append(SparkDetector.trackEndDisplaying(forViews: [cell]))
    }
}

private final class Prefetching: NSObject, UITableViewDataSourcePrefetching {
    var rows: [Int] = []
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
        rows += indexPaths.map(\.row)
    }
}
