// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SAPUsageCompatibility

class DocumentViewController: StandInViewController {
struct Entity { let productName: String }
let selectedEntity = Entity(productName: "iPad Pro")

override func viewDidAppear(_ animated: Bool) {
super.viewDidAppear(animated)
self.makeSelection()
SAPcpmsUsage.logBehaviorEvent(behaviorEvent: .viewDisplayed, viewIdentifier: "Products Listing Screen")
}

private func refresh() {
SAPcpmsUsage.logBehaviorEvent(behaviorEvent: .userInteraction, viewIdentifier: "Products Listing Screen", elementIdentifier: "Refresh Button")
// Note: The only action that can be performed in this example is the button being pressed, so the action parameter is not used.
// ...
}

override func prepare(for segue: StandInStoryboardSegue, sender _: Any?) {
SAPcpmsUsage.logBehaviorEvent(behaviorEvent: .userInteraction, viewIdentifier: "Products Listing Screen", elementIdentifier: "Products Table", action:"Row Selected", value: selectedEntity.productName)
// Note: In this example, selectedEntity.productName is a variable with the product name of the item selected, e.g., "iPad Pro".
// ...
}

func makeSelection() {}
override func buttonPressed() { refresh() }
}

/// A stand-in for the parts of UIKit that the samples need.
class StandInViewController {
func viewDidAppear(_ animated: Bool) {}
func prepare(for segue: StandInStoryboardSegue, sender: Any?) {}
func buttonPressed() {}
}

/// A stand-in for UIKit's storyboard segue.
struct StandInStoryboardSegue {}
