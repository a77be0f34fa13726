// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@class SparkEvent;
SWIFT_PROTOCOL("_TtP25SparkChamberCompatibility14SparkEventData_")
@protocol SparkEventData <NSObject>
@property (nonatomic, copy) NSArray * _Nullable sparkEvents;
@end

@interface NSObject (SWIFT_EXTENSION(SparkChamberCompatibility)) <SparkEventData>
@property (nonatomic, copy) NSArray * _Nullable sparkEvents;
@end

@class UITouch;
@class UIEvent;
@class NSValue;
@class NSCoder;
SWIFT_RESILIENT_CLASS("_TtC25SparkChamberCompatibility11SparkButton")
@interface SparkButton : UIButton
- (void)touchesEnded:(NSSet * _Nonnull)touches withEvent:(UIEvent * _Nullable)event;
- (nonnull instancetype)initWithFrame:(NSValue * _Nonnull)frame OBJC_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder * _Nonnull)coder OBJC_DESIGNATED_INITIALIZER;
@end

SWIFT_RESILIENT_CLASS("_TtC25SparkChamberCompatibility23SparkCollectionViewCell")
@interface SparkCollectionViewCell : UICollectionViewCell
- (void)touchesEnded:(NSSet * _Nonnull)touches withEvent:(UIEvent * _Nullable)event;
- (void)didMoveToWindow;
- (void)layoutSubviews;
- (void)prepareForReuse;
@property (nonatomic) BOOL isHidden;
- (nonnull instancetype)initWithFrame:(NSValue * _Nonnull)frame OBJC_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder * _Nonnull)coder OBJC_DESIGNATED_INITIALIZER;
@end

@class UIScrollView;
@class UIView;
@class NSString;
SWIFT_CLASS("_TtC25SparkChamberCompatibility13SparkDetector")
@interface SparkDetector : NSObject
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
+ (BOOL)trackDisplayForViews:(NSArray * _Nullable)views;
+ (BOOL)trackEndDisplayingForViews:(NSArray * _Nullable)views;
+ (BOOL)trackEndedWithTouches:(NSSet * _Nullable)touches;
+ (BOOL)trackBeganScrollingForScrollView:(UIScrollView * _Nullable)scrollView;
+ (BOOL)trackBecameFirstResponderForView:(UIView * _Nullable)view;
+ (BOOL)trackResignedFirstResponderForView:(UIView * _Nullable)view;
+ (BOOL)trackTargetActionForView:(UIView * _Nullable)view;
+ (BOOL)trackWithCustomTrigger:(NSString * _Nonnull)name forViews:(NSArray * _Nullable)views;
@end

@interface SparkDetector (SWIFT_EXTENSION(SparkChamberCompatibility))
SWIFT_CLASS_PROPERTY(@property (nonatomic, class) BOOL tracksApplicationTouches;)
+ (BOOL)tracksApplicationTouches SWIFT_WARN_UNUSED_RESULT;
+ (void)setTracksApplicationTouches:(BOOL)newValue;
@end

SWIFT_ENUM_FWD_DECL(NSInteger, SparkTriggerType)
@class NSDate;
@class NSUUID;
SWIFT_CLASS("_TtC25SparkChamberCompatibility10SparkEvent")
@interface SparkEvent : NSObject
- (nonnull instancetype)initWithTrigger:(enum SparkTriggerType)trigger trace:(NSString * _Nullable)trace action:(void (^ _Nullable)(NSDate * _Nonnull))action;
- (nonnull instancetype)initWithTrigger:(enum SparkTriggerType)trigger trace:(NSString * _Nullable)trace identifier:(NSUUID * _Nullable)identifier action:(void (^ _Nullable)(NSDate * _Nonnull))action OBJC_DESIGNATED_INITIALIZER;
- (nonnull instancetype)initWithTrigger:(enum SparkTriggerType)trigger action:(void (^ _Nullable)(NSDate * _Nonnull))action;
+ (SparkEvent * _Nonnull)onceWithId:(NSString * _Nonnull)id trigger:(enum SparkTriggerType)trigger trace:(NSString * _Nullable)trace action:(void (^ _Nonnull)(NSDate * _Nonnull))action SWIFT_WARN_UNUSED_RESULT;
@property (nonatomic) enum SparkTriggerType trigger;
@property (nonatomic, copy) NSString * _Nullable customTrigger;
@property (nonatomic, copy) void (^ _Nullable action)(NSDate * _Nonnull);
@property (nonatomic, copy) NSString * _Nullable trace;
@property (nonatomic, copy) NSUUID * _Nullable identifier;
- (BOOL)isEqual:(id _Nullable)object SWIFT_WARN_UNUSED_RESULT;
@property (nonatomic, readonly) NSUInteger hash;
@property (nonatomic, readonly, copy) NSString * _Nonnull description;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

SWIFT_ENUM_FWD_DECL(NSInteger, UITableViewCellCellStyle)
SWIFT_RESILIENT_CLASS("_TtC25SparkChamberCompatibility18SparkTableViewCell")
@interface SparkTableViewCell : UITableViewCell
- (void)touchesEnded:(NSSet * _Nonnull)touches withEvent:(UIEvent * _Nullable)event;
- (void)didMoveToWindow;
- (void)layoutSubviews;
- (void)prepareForReuse;
@property (nonatomic) BOOL isHidden;
- (nonnull instancetype)initWithStyle:(enum UITableViewCellCellStyle)style reuseIdentifier:(NSString * _Nullable)reuseIdentifier OBJC_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder * _Nonnull)coder OBJC_DESIGNATED_INITIALIZER;
@end

@protocol SparkTraceDelegate;
SWIFT_CLASS("_TtC25SparkChamberCompatibility10SparkTrace")
@interface SparkTrace : NSObject
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, strong) SparkTrace * _Nonnull sharedInstance;)
+ (SparkTrace * _Nonnull)sharedInstance SWIFT_WARN_UNUSED_RESULT;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@property (nonatomic, strong) id <SparkTraceDelegate> _Nullable delegate;
@end

SWIFT_PROTOCOL("_TtP25SparkChamberCompatibility18SparkTraceDelegate_")
@protocol SparkTraceDelegate
- (void)print:(NSString * _Nonnull)trace;
@end

typedef SWIFT_ENUM(NSInteger, SparkTriggerType, closed) {
  SparkTriggerTypeNone = 0,
  SparkTriggerTypeDidAppear = 1,
  SparkTriggerTypeDidDisappear = 2,
  SparkTriggerTypeDidEndTouch = 3,
  SparkTriggerTypeDidBeginScroll = 4,
  SparkTriggerTypeDidBecomeFirstResponder = 5,
  SparkTriggerTypeDidResignFirstResponder = 6,
  SparkTriggerTypeTargetAction = 7,
};

@class UITableView;
@class NSIndexPath;
@class UICollectionView;
@class UICollectionReusableView;
@class Bundle;
SWIFT_RESILIENT_CLASS("_TtC25SparkChamberCompatibility19SparkViewController")
@interface SparkViewController : UIViewController
- (void)viewDidAppear:(BOOL)animated;
- (void)viewDidDisappear:(BOOL)animated;
- (void)tableView:(UITableView * _Nonnull)tableView willDisplayCell:(UITableViewCell * _Nonnull)cell forRowAtIndexPath:(NSIndexPath * _Nonnull)indexPath;
- (void)tableView:(UITableView * _Nonnull)tableView willDisplayHeaderView:(UIView * _Nonnull)view forSection:(NSInteger)section;
- (void)tableView:(UITableView * _Nonnull)tableView willDisplayFooterView:(UIView * _Nonnull)view forSection:(NSInteger)section;
- (void)tableView:(UITableView * _Nonnull)tableView didEndDisplayingCell:(UITableViewCell * _Nonnull)cell forRowAtIndexPath:(NSIndexPath * _Nonnull)indexPath;
- (void)tableView:(UITableView * _Nonnull)tableView didEndDisplayingHeaderView:(UIView * _Nonnull)view forSection:(NSInteger)section;
- (void)tableView:(UITableView * _Nonnull)tableView didEndDisplayingFooterView:(UIView * _Nonnull)view forSection:(NSInteger)section;
- (void)tableView:(UITableView * _Nonnull)tableView didSelectRowAtIndexPath:(NSIndexPath * _Nonnull)indexPath;
- (void)collectionView:(UICollectionView * _Nonnull)collectionView willDisplayCell:(UICollectionViewCell * _Nonnull)cell forItemAtIndexPath:(NSIndexPath * _Nonnull)indexPath;
- (void)collectionView:(UICollectionView * _Nonnull)collectionView willDisplaySupplementaryView:(UICollectionReusableView * _Nonnull)view forElementKind:(NSString * _Nonnull)elementKind atIndexPath:(NSIndexPath * _Nonnull)indexPath;
- (void)collectionView:(UICollectionView * _Nonnull)collectionView didEndDisplayingCell:(UICollectionViewCell * _Nonnull)cell forItemAtIndexPath:(NSIndexPath * _Nonnull)indexPath;
- (void)collectionView:(UICollectionView * _Nonnull)collectionView didEndDisplayingSupplementaryView:(UICollectionReusableView * _Nonnull)view forElementOfKind:(NSString * _Nonnull)elementKind atIndexPath:(NSIndexPath * _Nonnull)indexPath;
- (void)collectionView:(UICollectionView * _Nonnull)collectionView didSelectItemAtIndexPath:(NSIndexPath * _Nonnull)indexPath;
- (void)scrollViewWillBeginDragging:(UIScrollView * _Nonnull)scrollView;
- (nonnull instancetype)initWithNibName:(NSString * _Nullable)nibNameOrNil bundle:(Bundle * _Nullable)nibBundleOrNil OBJC_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder * _Nonnull)coder OBJC_DESIGNATED_INITIALIZER;
@end

