// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SwiftUI

/// The list of products and the cart.
struct ShopView: View {
    let shop: Shop
    @State private var cart: [Product] = []
    @State private var isBought = false

    var body: some View {
        NavigationStack {
            List {
                Section("Shoes") {
                    ForEach(shop.products) { product in
                        NavigationLink(product.name) {
                            ProductPage(shop: shop, product: product) { cart.append(product) }
                        }
                    }
                }
                Section("Cart") {
                    Text("\(cart.count) in the cart").accessibilityIdentifier("cart")
                    Button("Buy") {
                        shop.recordPurchase(cart)
                        cart = []
                        isBought = true
                    }
                    .disabled(cart.isEmpty)
                    .accessibilityIdentifier("buy")
                }
                Section("For developers") {
                    NavigationLink("Triggers") {
                        TriggersPage(shop: shop).onAppear { shop.recordScreen("Triggers") }
                    }
                }
            }
            .navigationTitle("Shop")
            .onAppear { shop.recordScreen("Shop") }
            .sheet(isPresented: $isBought) {
                Text("Thank you").onAppear { shop.recordScreen("Thank you") }
            }
        }
    }
}
