// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

@MainActor open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable {
        case `default` = 0
        case value1 = 1
        case value2 = 2
        case subtitle = 3
    }

    public enum AccessoryType: Int, Sendable {
        case none = 0
        case disclosureIndicator = 1
        case detailDisclosureButton = 2
        case checkmark = 3
        case detailButton = 4
    }

    open private(set) var contentView = UIView(frame: .zero)
    open private(set) var reuseIdentifier: String?
    open private(set) var textLabel: UILabel? = UILabel(frame: .zero)
    open private(set) var detailTextLabel: UILabel? = UILabel(frame: .zero)
    open var accessoryType = AccessoryType.none
    open var isSelected = false
    open var isHighlighted = false

    public init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: .zero)
        fill()
    }

    /// Like the real class, which inherits this initializer: `UITableViewCell()` creates a cell with the default style.
    public convenience override init(frame: CGRect) {
        self.init(style: .default, reuseIdentifier: nil)
        self.frame = frame
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        fill()
    }

    private func fill() {
        #if !canImport(ObjectiveC)
        addSubview(contentView)
        if let textLabel { contentView.addSubview(textLabel) }
        #endif
    }

    open override func layoutSubviews() {
        contentView.frame = bounds
    }

    open func prepareForReuse() {}
    open func setSelected(_ selected: Bool, animated: Bool) { isSelected = selected }
    open func setHighlighted(_ highlighted: Bool, animated: Bool) { isHighlighted = highlighted }
}

@MainActor open class UICollectionReusableView: UIView {
    open internal(set) var reuseIdentifier: String?
    open func prepareForReuse() {}
}

@MainActor open class UICollectionViewCell: UICollectionReusableView {
    open private(set) var contentView = UIView(frame: .zero)
    open var isSelected = false
    open var isHighlighted = false

    public override init(frame: CGRect) {
        super.init(frame: frame)
        #if !canImport(ObjectiveC)
        addSubview(contentView)
        contentView.frame = bounds
        #endif
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    open override func layoutSubviews() {
        contentView.frame = bounds
    }
}

#if !canImport(ObjectiveC)
/// A cell of a collection view with a list layout.
@MainActor open class UICollectionViewListCell: UICollectionViewCell {
    open var indentationLevel = 0
}

/// Receives notice of rows that may become visible soon.
@MainActor public protocol UITableViewDataSourcePrefetching: NSObjectProtocol {
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

extension UITableViewDataSourcePrefetching {
    public func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {}
}

/// Is notified of items that may become visible soon.
@MainActor public protocol UICollectionViewDataSourcePrefetching: NSObjectProtocol {
    func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
    func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

extension UICollectionViewDataSourcePrefetching {
    public func collectionView(
        _ collectionView: UICollectionView,
        cancelPrefetchingForItemsAt indexPaths: [IndexPath]
    ) {}
}
#endif

extension IndexPath {
    /// Creates the index path of a row in a table.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    /// Creates the index path of an item in a collection.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    /// The section.
    public var section: Int { self[0] }
    /// The row in the section.
    public var row: Int { self[1] }
    /// The item in the section.
    public var item: Int { self[1] }
}
