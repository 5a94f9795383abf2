// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.elsewhere;

import io.boltwork.Lease;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;

/** A public class whose public method is inherited from a class that is not public. */
public class HiddenMethod extends PackagePrivate {

    /** Calls the method of the class that is not public. */
    public static String call(Object bean) {
        return ((PackagePrivate) bean).run();
    }

    /** A class with a locked method that is visible in this package only. */
    public static class Base {
        @DistributedLock("package")
        String inPackage() {
            return "";
        }
    }
}

class PackagePrivate {
    @DistributedLock("hidden")
    public String run() {
        return CurrentLease.find().map(Lease::lockName).orElse("none");
    }
}
