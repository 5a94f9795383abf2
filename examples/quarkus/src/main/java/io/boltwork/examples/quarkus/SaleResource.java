// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.quarkus;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import org.jboss.resteasy.reactive.RestPath;

/** Opens the sale of an item, sells it, and tells how many are left. */
@Path("/sale/{item}")
public class SaleResource {
    @Inject
    Shop shop;

    @Inject
    Stock stock;

    @PUT
    @Path("/{items}")
    public void open(@RestPath String item, @RestPath int items) {
        stock.set(item, items);
    }

    @POST
    public String buy(@RestPath String item) {
        return shop.buy(item) ? "sold" : "sold out";
    }

    @GET
    public int left(@RestPath String item) {
        return stock.left(item);
    }
}
