// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import UIKit

/// The results of actions, in order.
@MainActor
final class Notes {
    var all: [String] = []
}

/// Returns when all actions that were scheduled before have run.
@MainActor
func waitForPendingActions() async {
    let view = UIView(frame: .zero)
    await withCheckedContinuation { done in
        view.sparkEvents = [SparkEvent(trigger: .targetAction) { _ in done.resume() }]
        SparkDetector.trackTargetAction(forView: view)
    }
}

/// A screen with a table of rows 400 points high, two of which are visible.
final class ListScreen: SparkViewController, UITableViewDataSource, UITableViewDelegate {
    let table = UITableView(frame: CGRect(x: 0, y: 0, width: 393, height: 800))
    private let events: (_ row: Int) -> [SparkEvent]

    convenience init(_ notes: Notes, triggers: [SparkTriggerType] = [.didAppear, .didDisappear]) {
        self.init { makeEvents("row \($0)", notes, triggers) }
    }

    init(events: @escaping (_ row: Int) -> [SparkEvent]) {
        self.events = events
        super.init(nibName: nil, bundle: nil)
        table.rowHeight = 400
        table.dataSource = self
        table.register(SparkTableViewCell.self, forCellReuseIdentifier: "row")
        view.addSubview(table)
    }

    required init?(coder: NSCoder) { nil }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 10 }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath)
        cell.sparkEvents = events(indexPath.row)
        return cell
    }
}

/// A delegate without events.
final class OtherDelegate: NSObject, UITableViewDelegate {}

/// A screen with a collection of items 390 points wide and 440 high, two of which are visible.
final class GridScreen: SparkViewController, UICollectionViewDataSource, UICollectionViewDelegate {
    let collection: UICollectionView
    private let notes: Notes

    init(_ notes: Notes) {
        self.notes = notes
        let layout = UICollectionViewFlowLayout()
        layout.itemSize = CGSize(width: 390, height: 440)
        let frame = CGRect(x: 0, y: 0, width: 393, height: 800)
        collection = UICollectionView(frame: frame, collectionViewLayout: layout)
        super.init(nibName: nil, bundle: nil)
        collection.dataSource = self
        collection.delegate = self
        collection.register(SparkCollectionViewCell.self, forCellWithReuseIdentifier: "item")
        view.addSubview(collection)
    }

    required init?(coder: NSCoder) { nil }

    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { 10 }

    func collectionView(
        _ collectionView: UICollectionView,
        cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: "item", for: indexPath)
        let (notes, item) = (notes, indexPath.item)
        cell.sparkEvents = [SparkTriggerType.didAppear, .didDisappear, .didEndTouch, .targetAction].map { trigger in
            SparkEvent(trigger: trigger) { _ in
                MainActor.assumeIsolated { notes.all.append("item \(item) \(trigger)") }
            }
        }
        return cell
    }
}
