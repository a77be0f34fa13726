// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
public import ObjectiveC
#endif

@MainActor /*@objc*/ public protocol UITableViewDataSource: NSObjectProtocol {
    /*@objc*/ func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    /*@objc*/ func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    /*@objc*/ /*optional*/ func numberOfSections(in tableView: UITableView) -> Int
}

@MainActor /*@objc*/ public protocol UITableViewDelegate: UIScrollViewDelegate {
    /*@objc*/ /*optional*/ func tableView(
        _ tableView: UITableView,
        willDisplay cell: UITableViewCell,
        forRowAt indexPath: IndexPath
    )
    /*@objc*/ /*optional*/ func tableView(
        _ tableView: UITableView,
        didEndDisplaying cell: UITableViewCell,
        forRowAt indexPath: IndexPath
    )
    /*@objc*/ /*optional*/ func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
    /*@objc*/ /*optional*/ func tableView(_ tableView: UITableView, shouldHighlightRowAt indexPath: IndexPath) -> Bool
    /*@objc*/ /*optional*/ func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath?
    /*@objc*/ /*optional*/ func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    /*@objc*/ /*optional*/ func tableView(_ tableView: UITableView, didDeselectRowAt indexPath: IndexPath)
}

@MainActor /*@objc*/ public protocol UICollectionViewDataSource: NSObjectProtocol {
    /*@objc*/ func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
    /*@objc*/ func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
        -> UICollectionViewCell
    /*@objc*/ /*optional*/ func numberOfSections(in collectionView: UICollectionView) -> Int
}

@MainActor /*@objc*/ public protocol UICollectionViewDelegate: UIScrollViewDelegate {
    /*@objc*/ /*optional*/ func collectionView(
        _ collectionView: UICollectionView,
        willDisplay cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    )
    /*@objc*/ /*optional*/ func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    )
    /*@objc*/ /*optional*/ func collectionView(
        _ collectionView: UICollectionView,
        shouldSelectItemAt indexPath: IndexPath
    ) -> Bool
    /*@objc*/ /*optional*/ func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath)
    /*@objc*/ /*optional*/ func collectionView(
        _ collectionView: UICollectionView,
        didDeselectItemAt indexPath: IndexPath
    )
}

#if !canImport(ObjectiveC)
extension UITableViewDataSource {
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
}

extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {}
    public func tableView(
        _ tableView: UITableView,
        didEndDisplaying cell: UITableViewCell,
        forRowAt indexPath: IndexPath
    ) {}
    public func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        tableView.rowHeight
    }
    public func tableView(_ tableView: UITableView, shouldHighlightRowAt indexPath: IndexPath) -> Bool { true }
    public func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath? { indexPath }
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    public func tableView(_ tableView: UITableView, didDeselectRowAt indexPath: IndexPath) {}
}

extension UICollectionViewDataSource {
    public func numberOfSections(in collectionView: UICollectionView) -> Int { 1 }
}

extension UICollectionViewDelegate {
    public func collectionView(
        _ collectionView: UICollectionView,
        willDisplay cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {}
    public func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {}
    public func collectionView(_ collectionView: UICollectionView, shouldSelectItemAt indexPath: IndexPath) -> Bool {
        true
    }
    public func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {}
    public func collectionView(_ collectionView: UICollectionView, didDeselectItemAt indexPath: IndexPath) {}
}
#endif
