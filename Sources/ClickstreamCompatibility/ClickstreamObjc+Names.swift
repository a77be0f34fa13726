// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

/// Names of events an app may record itself although they are reserved.
@objcMembers
public final class EventName: NSObject {
    /// A screen was shown.
    public static let SCREEN_VIEW = ClickstreamAnalytics.EventName.SCREEN_VIEW
}

/// Names of reserved attributes.
@objcMembers
public final class Attr: NSObject {
    /// The screen's name; a screen view needs it.
    public static let SCREEN_NAME = ClickstreamAnalytics.Attr.SCREEN_NAME
    /// What tells two screens of one name apart.
    public static let SCREEN_UNIQUE_ID = ClickstreamAnalytics.Attr.SCREEN_UNIQUE_ID
    /// Where the traffic came from: a search engine, a site.
    public static let TRAFFIC_SOURCE_SOURCE = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_SOURCE
    /// The medium: mail, paid search.
    public static let TRAFFIC_SOURCE_MEDIUM = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_MEDIUM
    /// The campaign's name.
    public static let TRAFFIC_SOURCE_CAMPAIGN = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CAMPAIGN
    /// The campaign's id.
    public static let TRAFFIC_SOURCE_CAMPAIGN_ID = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CAMPAIGN_ID
    /// What was searched for.
    public static let TRAFFIC_SOURCE_TERM = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_TERM
    /// Which of several advertisements it was.
    public static let TRAFFIC_SOURCE_CONTENT = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CONTENT
    /// The click's id.
    public static let TRAFFIC_SOURCE_CLID = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CLID
    /// Whose click id it is.
    public static let TRAFFIC_SOURCE_CLID_PLATFORM = ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CLID_PLATFORM
    /// Where the app was installed from.
    public static let APP_INSTALL_CHANNEL = ClickstreamAnalytics.Attr.APP_INSTALL_CHANNEL
    /// What the event was worth.
    public static let VALUE = ClickstreamAnalytics.Attr.VALUE
    /// The currency of the worth.
    public static let CURRENCY = ClickstreamAnalytics.Attr.CURRENCY
}

/// Names of the attributes of items that every report knows.
@objcMembers
public final class ClickstreamItemKey: NSObject {
    /// The item's id; an item without one is left out.
    public static let ITEM_ID = ClickstreamAnalytics.Item.ITEM_ID
    /// Its name.
    public static let ITEM_NAME = ClickstreamAnalytics.Item.ITEM_NAME
    /// Where it is offered.
    public static let LOCATION_ID = ClickstreamAnalytics.Item.LOCATION_ID
    /// Its brand.
    public static let ITEM_BRAND = ClickstreamAnalytics.Item.ITEM_BRAND
    /// The currency of its price.
    public static let CURRENCY = ClickstreamAnalytics.Item.CURRENCY
    /// Its price, a number.
    public static let PRICE = ClickstreamAnalytics.Item.PRICE
    /// How many, a number or a text that is one.
    public static let QUANTITY = ClickstreamAnalytics.Item.QUANTITY
    /// The name of the advertisement that showed it.
    public static let CREATIVE_NAME = ClickstreamAnalytics.Item.CREATIVE_NAME
    /// The place of the advertisement.
    public static let CREATIVE_SLOT = ClickstreamAnalytics.Item.CREATIVE_SLOT
    /// Its category.
    public static let ITEM_CATEGORY = ClickstreamAnalytics.Item.ITEM_CATEGORY
    /// Its second category.
    public static let ITEM_CATEGORY2 = ClickstreamAnalytics.Item.ITEM_CATEGORY2
    /// Its third category.
    public static let ITEM_CATEGORY3 = ClickstreamAnalytics.Item.ITEM_CATEGORY3
    /// Its fourth category.
    public static let ITEM_CATEGORY4 = ClickstreamAnalytics.Item.ITEM_CATEGORY4
    /// Its fifth category.
    public static let ITEM_CATEGORY5 = ClickstreamAnalytics.Item.ITEM_CATEGORY5
}
#endif
