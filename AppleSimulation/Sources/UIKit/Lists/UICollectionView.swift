// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

@MainActor open class UICollectionViewLayout: NSObject {
    public override init() {
        super.init()
    }
}

@MainActor open class UICollectionViewFlowLayout: UICollectionViewLayout {
    open var itemSize = CGSize(width: 50, height: 50)
    open var minimumLineSpacing: CGFloat = 10
    open var minimumInteritemSpacing: CGFloat = 10
}

/// Rules modeled here:
/// - The rules of ``UITableView``, with the flow layout's item sizes, from left to right and from top to bottom.
@MainActor open class UICollectionView: UIScrollView {
    public struct ScrollPosition: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let top = ScrollPosition(rawValue: 1 << 0)
    }

    open weak var dataSource: (any UICollectionViewDataSource)?
    open var collectionViewLayout: UICollectionViewLayout
    private var classes: [String: UICollectionViewCell.Type] = [:]
    private var reusableCells: [String: [UICollectionViewCell]] = [:]
    private var shownCells: [IndexPath: UICollectionViewCell] = [:]
    private var selected: IndexPath?

    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
        collectionViewLayout = layout
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        collectionViewLayout = UICollectionViewFlowLayout()
        super.init(coder: coder)
    }

    open var delegate: (any UICollectionViewDelegate)? {
        get { scrollDelegate as? any UICollectionViewDelegate }
        set { scrollDelegate = newValue }
    }

    open var visibleCells: [UICollectionViewCell] { shownCells.sorted { $0.key < $1.key }.map(\.value) }
    open var indexPathsForVisibleItems: [IndexPath] { shownCells.keys.sorted() }
    open var indexPathsForSelectedItems: [IndexPath]? { selected.map { [$0] } ?? [] }
    open func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? { shownCells[indexPath] }
    open func indexPath(for cell: UICollectionViewCell) -> IndexPath? { shownCells.first { $0.value === cell }?.key }

    open func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {
        classes[identifier] = cellClass as? UICollectionViewCell.Type
    }

    open func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath)
        -> UICollectionViewCell
    {
        #if !canImport(ObjectiveC)
        if let cell = reusableCells[identifier]?.popLast() {
            cell.prepareForReuse()
            return cell
        }
        let cellFactory = classes[identifier].flatMap { Self.cellFactories[ObjectIdentifier($0)] }
        let cell = cellFactory?() ?? UICollectionViewCell(frame: .zero)
        cell.reuseIdentifier = identifier
        return cell
        #endif
    }

    open func reloadData() {
        #if !canImport(ObjectiveC)
        for path in shownCells.keys.sorted() { hide(path) }
        layoutSubviews()
        #endif
    }

    open override func layoutSubviews() {
        #if !canImport(ObjectiveC)
        layOut()
        #endif
    }

    #if !canImport(ObjectiveC)
    public weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
    private static var cellFactories: [ObjectIdentifier: () -> UICollectionViewCell] = [:]

    /// Registers a factory for cells of a class, which the real UIKit does not need.
    public static func simulate<Cell: UICollectionViewCell>(
        making type: Cell.Type,
        by cellFactory: @escaping () -> Cell
    ) {
        cellFactories[ObjectIdentifier(type)] = cellFactory
    }

    private func layOut() {
        guard let dataSource else { return }
        let flow = collectionViewLayout as? UICollectionViewFlowLayout ?? UICollectionViewFlowLayout()
        let size = flow.itemSize
        var corner = CGPoint.zero
        var visibleRows: [(IndexPath, CGRect)] = []
        for section in 0..<dataSource.numberOfSections(in: self) {
            for item in 0..<dataSource.collectionView(self, numberOfItemsInSection: section) {
                if corner.x > 0, corner.x + size.width > bounds.width {
                    corner = CGPoint(x: 0, y: corner.y + size.height + flow.minimumLineSpacing)
                }
                let frame = CGRect(origin: corner, size: size)
                if frame.minY < bounds.maxY, frame.maxY > bounds.minY {
                    visibleRows.append((IndexPath(item: item, section: section), frame))
                }
                corner.x += size.width + flow.minimumInteritemSpacing
            }
            if corner.x > 0 { corner = CGPoint(x: 0, y: corner.y + size.height + flow.minimumLineSpacing) }
        }
        contentSize = CGSize(width: bounds.width, height: corner.y)
        for path in shownCells.keys.sorted() where !visibleRows.contains(where: { $0.0 == path }) { hide(path) }
        for (path, frame) in visibleRows where shownCells[path] == nil {
            let cell = dataSource.collectionView(self, cellForItemAt: path)
            cell.frame = frame
            cell.layoutIfNeeded()
            shownCells[path] = cell
            delegate?.collectionView(self, willDisplay: cell, forItemAt: path)
            addSubview(cell)
        }
    }

    private func hide(_ path: IndexPath) {
        guard let cell = shownCells.removeValue(forKey: path) else { return }
        cell.removeFromSuperview()
        delegate?.collectionView(self, didEndDisplaying: cell, forItemAt: path)
        if let identifier = cell.reuseIdentifier { reusableCells[identifier, default: []].append(cell) }
    }

    /// Selects the item of a cell when a touch ends on it.
    func simulateSelection(of cell: UICollectionViewCell) {
        guard let path = indexPath(for: cell) else { return }
        guard delegate?.collectionView(self, shouldSelectItemAt: path) ?? true else { return }
        if let before = selected, before != path {
            shownCells[before]?.isSelected = false
            delegate?.collectionView(self, didDeselectItemAt: before)
        }
        selected = path
        cell.isSelected = true
        delegate?.collectionView(self, didSelectItemAt: path)
    }
    #endif
}
