// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
public import ObjectiveC
#endif

/// Rules modeled here:
/// - Rows that enter the bounds are requested, then reported with `willDisplay`; rows that leave are reported with
///   `didEndDisplaying` and kept for reuse, which starts with `prepareForReuse` (Apple, pages of `UITableViewDelegate`
///   and `prepareForReuse()`).
/// - With a prefetching data source, the next row below is announced, created and kept hidden before it becomes
///   visible; `willDisplay` is reported when it does (Apple, page of `UITableViewDataSourcePrefetching`, "What's new in
///   UICollectionView", WWDC 2016).
/// - A tap on a row reaches the cell as a touch; then the delegate is asked, and the row is selected.
@MainActor open class UITableView: UIScrollView {
    public enum Style: Int, Sendable {
        case plain = 0
        case grouped = 1
        case insetGrouped = 2
    }

    public enum ScrollPosition: Int, Sendable {
        case none = 0
        case top = 1
        case middle = 2
        case bottom = 3
    }

    open weak var dataSource: (any UITableViewDataSource)?
    open var rowHeight: CGFloat = 44
    open private(set) var style: Style
    open internal(set) var indexPathForSelectedRow: IndexPath?
    private var classes: [String: UITableViewCell.Type] = [:]
    private var reusableCells: [String: [UITableViewCell]] = [:]
    private var shownCells: [IndexPath: UITableViewCell] = [:]

    public init(frame: CGRect, style: Style) {
        self.style = style
        super.init(frame: frame)
    }

    public convenience override init(frame: CGRect) {
        self.init(frame: frame, style: .plain)
    }

    public required init?(coder: NSCoder) {
        style = .plain
        super.init(coder: coder)
    }

    open var delegate: (any UITableViewDelegate)? {
        get { scrollDelegate as? any UITableViewDelegate }
        set { scrollDelegate = newValue }
    }

    open var visibleCells: [UITableViewCell] { shownCells.sorted { $0.key < $1.key }.map(\.value) }
    open var indexPathsForVisibleRows: [IndexPath]? { shownCells.keys.sorted() }
    open var numberOfSections: Int { rowCounts.count }
    open func numberOfRows(inSection section: Int) -> Int { rowCounts[section] }
    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? { shownCells[indexPath] }
    open func indexPath(for cell: UITableViewCell) -> IndexPath? { shownCells.first { $0.value === cell }?.key }

    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
        classes[identifier] = cellClass as? UITableViewCell.Type
    }

    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? {
        #if !canImport(ObjectiveC)
        if let cell = reusableCells[identifier]?.popLast() {
            cell.prepareForReuse()
            return cell
        }
        guard let type = classes[identifier] else { return nil }
        return Self.cellFactories[ObjectIdentifier(type)]?(identifier)
            ?? UITableViewCell(style: .default, reuseIdentifier: identifier)
        #endif
    }

    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        dequeueReusableCell(withIdentifier: identifier) ?? UITableViewCell(style: .default, reuseIdentifier: identifier)
    }

    open func reloadData() {
        #if !canImport(ObjectiveC)
        prefetched = [:]
        for path in shownCells.keys.sorted() { hide(path) }
        layoutSubviews()
        #endif
    }

    open func selectRow(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        #if !canImport(ObjectiveC)
        deselect(indexPathForSelectedRow)
        indexPathForSelectedRow = indexPath
        if let indexPath { shownCells[indexPath]?.setSelected(true, animated: animated) }
        #endif
    }

    open func deselectRow(at indexPath: IndexPath, animated: Bool) {
        #if !canImport(ObjectiveC)
        deselect(indexPath)
        #endif
    }

    open override func layoutSubviews() {
        #if !canImport(ObjectiveC)
        layOut()
        #endif
    }

    private var rowCounts: [Int] {
        #if !canImport(ObjectiveC)
        guard let dataSource else { return [] }
        return (0..<dataSource.numberOfSections(in: self)).map { dataSource.tableView(self, numberOfRowsInSection: $0) }
        #endif
    }

    #if !canImport(ObjectiveC)
    public weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
    private var prefetched: [IndexPath: UITableViewCell] = [:]
    private static var cellFactories: [ObjectIdentifier: (String) -> UITableViewCell] = [:]

    /// Registers a factory for cells of a class, which the real UIKit does not need.
    public static func simulate<Cell: UITableViewCell>(
        making type: Cell.Type,
        by cellFactory: @escaping (String) -> Cell
    ) {
        cellFactories[ObjectIdentifier(type)] = cellFactory
    }

    private func layOut() {
        guard let dataSource else { return }
        var top: CGFloat = 0
        var visibleRows: [(IndexPath, CGRect)] = []
        for (section, count) in rowCounts.enumerated() {
            for row in 0..<count {
                let path = IndexPath(row: row, section: section)
                let height = delegate?.tableView(self, heightForRowAt: path) ?? rowHeight
                let frame = CGRect(x: 0, y: top, width: bounds.width, height: height)
                if frame.minY < bounds.maxY, frame.maxY > bounds.minY { visibleRows.append((path, frame)) }
                top += height
            }
        }
        contentSize = CGSize(width: bounds.width, height: top)
        for path in shownCells.keys.sorted() where !visibleRows.contains(where: { $0.0 == path }) { hide(path) }
        for (path, frame) in visibleRows where shownCells[path] == nil {
            let cell = prefetched.removeValue(forKey: path) ?? dataSource.tableView(self, cellForRowAt: path)
            cell.frame = frame
            cell.layoutIfNeeded()
            shownCells[path] = cell
            delegate?.tableView(self, willDisplay: cell, forRowAt: path)
            addSubview(cell)
        }
        if let last = visibleRows.last?.0 { prefetch(after: last, dataSource) }
    }

    private func prefetch(after path: IndexPath, _ dataSource: any UITableViewDataSource) {
        guard let prefetchDataSource, path.row + 1 < numberOfRows(inSection: path.section) else { return }
        let next = IndexPath(row: path.row + 1, section: path.section)
        guard prefetched[next] == nil, shownCells[next] == nil else { return }
        prefetchDataSource.tableView(self, prefetchRowsAt: [next])
        let cell = dataSource.tableView(self, cellForRowAt: next)
        cell.layoutIfNeeded()
        prefetched[next] = cell
    }

    private func hide(_ path: IndexPath) {
        guard let cell = shownCells.removeValue(forKey: path) else { return }
        cell.removeFromSuperview()
        delegate?.tableView(self, didEndDisplaying: cell, forRowAt: path)
        if let identifier = cell.reuseIdentifier { reusableCells[identifier, default: []].append(cell) }
    }

    private func deselect(_ path: IndexPath?) {
        guard let path, path == indexPathForSelectedRow else { return }
        indexPathForSelectedRow = nil
        shownCells[path]?.setSelected(false, animated: false)
    }

    /// Selects the row of a cell when a touch ends on it.
    func simulateSelection(of cell: UITableViewCell) {
        guard let path = indexPath(for: cell), delegate?.tableView(self, shouldHighlightRowAt: path) ?? true else {
            return
        }
        let before = indexPathForSelectedRow
        guard let chosen = delegate.map({ $0.tableView(self, willSelectRowAt: path) }) ?? path else { return }
        selectRow(at: chosen, animated: true, scrollPosition: .none)
        if let before, before != chosen { delegate?.tableView(self, didDeselectRowAt: before) }
        delegate?.tableView(self, didSelectRowAt: chosen)
    }
    #endif
}
