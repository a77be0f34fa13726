// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SwiftUI
import UIKit

/// A UIKit page inside SwiftUI.
struct ProductPage: UIViewControllerRepresentable {
    let shop: Shop
    let product: Product
    let add: () -> Void

    func makeUIViewController(context: Context) -> ProductController {
        ProductController(shop: shop, product: product, add: add)
    }

    func updateUIViewController(_ controller: ProductController, context: Context) {}
}

/// One product, and a button that adds it to the cart.
final class ProductController: UIViewController {
    let button = UIButton(type: .system)
    private let shop: Shop
    private let product: Product
    private let add: () -> Void

    init(shop: Shop, product: Product, add: @escaping () -> Void) {
        self.shop = shop
        self.product = product
        self.add = add
        super.init(nibName: nil, bundle: nil)
        title = product.name
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        button.frame = CGRect(x: 20, y: 120, width: 240, height: 50)
        button.setTitle("Add to cart", for: .normal)
        button.accessibilityIdentifier = "add"
        button.addAction(UIAction { [weak self] _ in self?.addToCart() }, for: .touchUpInside)
        view.addSubview(button)
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        shop.recordScreen("Product", id: product.id)
    }

    private func addToCart() {
        add()
        shop.recordAddToCart(product)
    }
}
