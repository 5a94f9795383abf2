// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** One shop of the sale; {@link FlashSaleDemo} starts several of them. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
class FlashSaleApplication {

    public static void main(String[] args) {
        SpringApplication.run(FlashSaleApplication.class, args);
    }
}
