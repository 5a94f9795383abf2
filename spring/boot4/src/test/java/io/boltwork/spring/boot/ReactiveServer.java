// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Netty as the server of WebFlux, although Tomcat is there for Spring MVC. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
class ReactiveServer {

    @Bean
    NettyReactiveWebServerFactory netty() {
        return new NettyReactiveWebServerFactory();
    }
}
