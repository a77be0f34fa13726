// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The part of UIKit that the Objective-C samples from vendors' documents use, as Apple documents it.
#pragma once
#include <Foundation/Foundation.h>

@interface UITouch : NSObject
@end

@interface UIEvent : NSObject
@end

@interface UIResponder : NSObject
@end

@interface UIApplication : UIResponder
@end

@interface UIView : UIResponder
@end

@interface UIScrollView : UIView
@end

@interface UITableView : UIScrollView
@end

@interface UICollectionView : UIScrollView
@end

@interface UIControl : UIView
@end

@interface UIButton : UIControl
@end

@interface UITableViewCell : UIView
@end

@interface UICollectionReusableView : UIView
@end

@interface UICollectionViewCell : UICollectionReusableView
@end

@interface UIViewController : UIResponder
@property(nonatomic, strong) UIView *view;
@end
