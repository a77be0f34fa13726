// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

/// Names of reserved events that an app may record itself.
@objcMembers
public final class EventName: NSObject {
    /// A screen was shown.
    public static let SCREEN_VIEW = ClickstreamAnalytics.EventName.SCREEN_VIEW
}

/// Names of reserved attributes.
@objcMembers
public final class Attr: NSObject {
    /// The screen's name; required in a screen view.
    public static let SCREEN_NAME = ClickstreamAnalytics.Attr.SCREEN_NAME
    /// An ID that distinguishes screens with the same name.
    public static let SCREEN_UNIQUE_ID = ClickstreamAnalytics.Attr.SCREEN_UNIQUE_ID
    /// The source of the traffic, such as a search engine or site.
    public static let TRAFFIC_SOURCE_SOURCE = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_SOURCE
    /// The medium, such as email or paid search.
    public static let TRAFFIC_SOURCE_MEDIUM = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_MEDIUM
    /// The campaign's name.
    public static let TRAFFIC_SOURCE_CAMPAIGN = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CAMPAIGN
    /// The campaign's ID.
    public static let TRAFFIC_SOURCE_CAMPAIGN_ID = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CAMPAIGN_ID
    /// The search term.
    public static let TRAFFIC_SOURCE_TERM = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_TERM
    /// The content, which distinguishes several advertisements.
    public static let TRAFFIC_SOURCE_CONTENT = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CONTENT
    /// The click's ID.
    public static let TRAFFIC_SOURCE_CLID = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CLID
    /// The platform of the click ID.
    public static let TRAFFIC_SOURCE_CLID_PLATFORM = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CLID_PLATFORM
    /// The channel through which the app was installed.
    public static let APP_INSTALL_CHANNEL = ClickstreamAnalytics.Attr.APP_INSTALL_CHANNEL
    /// The value of the event.
    public static let VALUE = ClickstreamAnalytics.Attr.VALUE
    /// The currency of the value.
    public static let CURRENCY = ClickstreamAnalytics.Attr.CURRENCY
}

/// Names of item attributes that every report supports.
@objcMembers
public final class ClickstreamItemKey: NSObject {
    /// The item's ID; an item without one is left out.
    public static let ITEM_ID = ClickstreamAnalytics.Item.ITEM_ID
    /// The item's name.
    public static let ITEM_NAME = ClickstreamAnalytics.Item.ITEM_NAME
    /// The location where the item is offered.
    public static let LOCATION_ID = ClickstreamAnalytics.Item.LOCATION_ID
    /// The item's brand.
    public static let ITEM_BRAND = ClickstreamAnalytics.Item.ITEM_BRAND
    /// The currency of the item's price.
    public static let CURRENCY = ClickstreamAnalytics.Item.CURRENCY
    /// The item's price, a number.
    public static let PRICE = ClickstreamAnalytics.Item.PRICE
    /// The item's quantity: a number, or a string that contains one.
    public static let QUANTITY = ClickstreamAnalytics.Item.QUANTITY
    /// The name of the advertisement that showed the item.
    public static let CREATIVE_NAME = ClickstreamAnalytics.Item.CREATIVE_NAME
    /// The position of the advertisement.
    public static let CREATIVE_SLOT = ClickstreamAnalytics.Item.CREATIVE_SLOT
    /// The item's category.
    public static let ITEM_CATEGORY = ClickstreamAnalytics.Item.ITEM_CATEGORY
    /// The item's second category.
    public static let ITEM_CATEGORY2 = ClickstreamAnalytics.Item.ITEM_CATEGORY2
    /// The item's third category.
    public static let ITEM_CATEGORY3 = ClickstreamAnalytics.Item.ITEM_CATEGORY3
    /// The item's fourth category.
    public static let ITEM_CATEGORY4 = ClickstreamAnalytics.Item.ITEM_CATEGORY4
    /// The item's fifth category.
    public static let ITEM_CATEGORY5 = ClickstreamAnalytics.Item.ITEM_CATEGORY5
}
#endif
