// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.micronaut.context.annotation.EachProperty;
import io.micronaut.context.annotation.Parameter;

/**
 * A further client of the settings.
 *
 * @param name its name
 */
@EachProperty(FurtherClient.PREFIX)
record FurtherClient(@Parameter String name) {
    static final String PREFIX = "boltwork.clients";
}
