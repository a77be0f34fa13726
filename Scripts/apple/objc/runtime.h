// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The part of the Objective-C runtime that the SDK uses, as its public documentation describes it.

#ifndef TRACKWAY_OBJC_RUNTIME_H
#define TRACKWAY_OBJC_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

typedef bool BOOL;
typedef struct objc_selector *SEL;
typedef struct objc_method *Method;
typedef long NSInteger;
typedef unsigned long NSUInteger;

#pragma clang assume_nonnull begin

// Variadic, as in the runtime's own header: Swift can compare two implementations only in this form.
typedef id _Nullable (*IMP)(id _Nonnull, SEL _Nonnull, ...);

@class NSString, NSMethodSignature;

@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
@property(readonly) NSUInteger hash;
- (BOOL)isProxy;
- (BOOL)isKindOfClass:(Class)aClass;
- (BOOL)isMemberOfClass:(Class)aClass;
- (BOOL)conformsToProtocol:(Protocol *)aProtocol;
- (BOOL)respondsToSelector:(null_unspecified SEL)aSelector;
- (null_unspecified id)performSelector:(null_unspecified SEL)aSelector;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
+ (instancetype)alloc;
+ (void)load;
+ (void)initialize;
- (instancetype)init __attribute__((objc_designated_initializer));
- (id)copy;
- (id)mutableCopy;
- (void)doesNotRecognizeSelector:(null_unspecified SEL)aSelector;
- (nullable id)forwardingTargetForSelector:(null_unspecified SEL)aSelector;
+ (BOOL)instancesRespondToSelector:(null_unspecified SEL)aSelector;
+ (BOOL)respondsToSelector:(null_unspecified SEL)aSelector;
+ (nullable Class)superclass;
+ (BOOL)isSubclassOfClass:(Class)aClass;
@property(readonly) Class classForCoder;
@end

typedef enum __attribute__((enum_extensibility(open))) objc_AssociationPolicy : unsigned long {
    OBJC_ASSOCIATION_ASSIGN = 0,
    OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1,
    OBJC_ASSOCIATION_COPY_NONATOMIC = 3,
    OBJC_ASSOCIATION_RETAIN = 01401,
    OBJC_ASSOCIATION_COPY = 01403
} objc_AssociationPolicy;

id _Nullable objc_getAssociatedObject(id object, const void *key);
void objc_setAssociatedObject(id object, const void *key, id _Nullable value, objc_AssociationPolicy policy);
void objc_removeAssociatedObjects(id object);
Class _Nullable objc_getClass(const char *name);
Class _Nullable objc_lookUpClass(const char *name);
const char *class_getName(Class _Nullable cls);
const char *_Nullable class_getImageName(Class _Nullable cls);
const char *_Nonnull *_Nonnull objc_copyImageNames(unsigned int *_Nullable outCount);
const char *_Nonnull *_Nullable objc_copyClassNamesForImage(const char *image, unsigned int *_Nullable outCount);
Class _Nullable class_getSuperclass(Class _Nullable cls);
Method _Nullable class_getInstanceMethod(Class _Nullable cls, SEL name);
Method _Nullable class_getClassMethod(Class _Nullable cls, SEL name);
BOOL class_addMethod(Class _Nullable cls, SEL name, IMP imp, const char *_Nullable types);
IMP _Nullable class_replaceMethod(Class _Nullable cls, SEL name, IMP imp, const char *_Nullable types);
Method _Nonnull *_Nullable class_copyMethodList(Class _Nullable cls, unsigned int *_Nullable outCount);
void method_exchangeImplementations(Method m1, Method m2);
IMP method_getImplementation(Method m);
IMP method_setImplementation(Method m, IMP imp);
const char *_Nullable method_getTypeEncoding(Method m);
SEL method_getName(Method m);
IMP imp_implementationWithBlock(id block);
BOOL imp_removeBlock(IMP anImp);
Class _Nullable object_getClass(id _Nullable obj);
int objc_sync_enter(id obj);
int objc_sync_exit(id obj);

#pragma clang assume_nonnull end

#endif
