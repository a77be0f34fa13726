// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension ProductCatalog {
    /// The products of the corner shop.
    package static let corner = ProductCatalog([
        Product(
            "B-101",
            "Atlas of Small Islands",
            by: "Hafen",
            on: .books,
            cents: 3_450,
            "Fifty islands, fifty stories."
        ),
        Product("B-102", "Field Guide to Clouds", by: "Hafen", on: .books, cents: 1_890, "Look up, then look it up."),
        Product("B-103", "Night Trains of Europe", by: "Gleis", on: .books, cents: 2_200, "Timetables to dream over."),
        Product("B-104", "The Patient Baker", by: "Krume", on: .books, cents: 2_690, "Bread that takes three days."),
        Product("B-105", "Hiking Map, Harz", by: "Steig", on: .books, cents: 995, "Waterproof, 1:25,000."),
        Product("K-201", "Cast-Iron Pan, 26 cm", by: "Esse", on: .kitchen, cents: 4_900, "Outlives its owner."),
        Product("K-202", "Bread Knife", by: "Esse", on: .kitchen, cents: 3_200, "Serrated, cherry handle."),
        Product("K-203", "Enamel Mug, blue", by: "Lipa", on: .kitchen, cents: 850, "For tea, indoors or out."),
        Product("K-204", "Coffee Grinder", by: "Mola", on: .kitchen, cents: 7_950, "Manual, forty turns per cup."),
        Product("K-205", "Linen Tea Towel", by: "Flachs", on: .kitchen, cents: 1_200, "Dries better every year."),
        Product("G-301", "Secateurs", by: "Esse", on: .garden, cents: 2_790, "Cuts branches up to a thumb's width."),
        Product("G-302", "Tomato Seeds, Old Sorts", by: "Saat", on: .garden, cents: 420, "Six varieties, one summer."),
        Product("G-303", "Watering Can, 5 l", by: "Zinn", on: .garden, cents: 3_600, "Pours like soft rain."),
        Product("G-304", "Bird House", by: "Nest", on: .garden, cents: 2_450, "Larch. Tenants included, usually."),
        Product("O-401", "Wool Blanket", by: "Schaf", on: .outdoors, cents: 8_900, "Warm when wet."),
        Product("O-402", "Steel Bottle, 0.75 l", by: "Lipa", on: .outdoors, cents: 2_100, "Keeps tea hot until noon."),
        Product("O-403", "Head Torch", by: "Licht", on: .outdoors, cents: 3_990, "Red light for stargazers."),
        Product("O-404", "Two-Person Tent", by: "Schaf", on: .outdoors, cents: 24_900, "Up in four minutes."),
        Product("O-405", "Pocket Knife", by: "Esse", on: .outdoors, cents: 2_950, "Blade, saw, opener."),
        Product("M-501", "Harmonica in C", by: "Klang", on: .music, cents: 2_400, "Fits every pocket."),
        Product("M-502", "Kalimba, 17 keys", by: "Klang", on: .music, cents: 3_300, "Hard to play badly."),
        Product("M-503", "Metronome", by: "Takt", on: .music, cents: 4_250, "Wind it up."),
        Product("M-504", "Guitar Strings", by: "Takt", on: .music, cents: 1_150, "Bronze, light."),
    ])
}
