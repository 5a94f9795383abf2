// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.TestApplication;
import io.boltwork.spring.autoconfigure.LockFailureAnalyzer;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.interceptor.TransactionalProxy;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpRequestValues;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** Beans that are proxies already, with interfaces of Spring besides the annotated ones. */
class ProxyBeanTest {

    private static ApplicationContextRunner application(boolean proxiesOfClasses) {
        return TestApplication.memory()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues("spring.aop.proxy-target-class=" + proxiesOfClasses);
    }

    private static String held() {
        return CurrentLease.find().map(Lease::lockName).orElse("none");
    }

    @DistributedLock("client:#{#p0}")
    interface Client {
        String call(String id);
    }

    interface Described {
        default String described() {
            return held();
        }
    }

    @DistributedLock("audit")
    interface Audited {
        default String audited() {
            return held();
        }
    }

    static class ClientBean implements Client, Described, Audited, InitializingBean {
        @Override
        public void afterPropertiesSet() {}

        @Override
        public String call(String id) {
            return held();
        }
    }

    private static void assertLocked(ApplicationContextRunner application) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Client.class).call("7")).isEqualTo("client:7");
        });
    }

    @Test
    void annotationOfAnInterfaceAppliesToItsOwnMethods() {
        for (boolean proxiesOfClasses : new boolean[] {true, false}) {
            application(proxiesOfClasses).withBean(ClientBean.class).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(Client.class).call("7")).isEqualTo("client:7");
                assertThat(context.getBean(Described.class).described()).isEqualTo("none");
                assertThat(context.getBean(Audited.class).audited()).isEqualTo("audit");
            });
        }
    }

    @DistributedLock("whole:#{#p0}")
    static class WholeBean implements Client, InitializingBean {
        @Override
        public void afterPropertiesSet() {}

        @Override
        public String call(String id) {
            return held();
        }
    }

    @Test
    void annotationOfAClassSkipsMethodsThatOnlyTheContainerCalls() {
        application(true).withBean(WholeBean.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Client.class).call("7")).isEqualTo("whole:7");
        });
    }

    private static Client proxy() {
        return ProxyFactory.getProxy(Client.class, (MethodInterceptor) invocation -> held());
    }

    static class ClientFactory implements FactoryBean<Client> {
        @Override
        public Client getObject() {
            return proxy();
        }

        @Override
        public Class<?> getObjectType() {
            return Client.class;
        }
    }

    @Test
    void proxyWithoutATargetIsLocked() {
        for (boolean proxiesOfClasses : new boolean[] {true, false}) {
            assertLocked(application(proxiesOfClasses).withBean(Client.class, ProxyBeanTest::proxy));
            assertLocked(application(proxiesOfClasses).withBean(ClientFactory.class));
        }
    }

    record Order(String id) {}

    interface Crud<T> {
        String save(T entity);
    }

    @DistributedLock("orders:#{#entity.id}")
    interface Orders extends Crud<Order> {
        @DistributedLock("all")
        String findAll();
    }

    /** Does not implement the interface of the repository. */
    static class SimpleCrud<T> implements Crud<T> {
        @Override
        public String save(T entity) {
            return held();
        }
    }

    /** Returns a proxy such as that of a Spring Data repository. */
    private static Orders repository() {
        ProxyFactory repository = new ProxyFactory();
        repository.setTarget(new SimpleCrud<Order>());
        repository.setInterfaces(Orders.class, TransactionalProxy.class);
        repository.addAdvice((MethodInterceptor)
                invocation -> invocation.getMethod().getDeclaringClass() == Crud.class ? invocation.proceed() : held());
        return (Orders) repository.getProxy();
    }

    @Test
    void proxyOfAnotherClassIsLocked() {
        for (boolean proxiesOfClasses : new boolean[] {true, false}) {
            application(proxiesOfClasses)
                    .withBean(Orders.class, ProxyBeanTest::repository)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        Orders orders = context.getBean(Orders.class);
                        assertThat(orders.save(new Order("7"))).isEqualTo("orders:7");
                        assertThat(orders.findAll()).isEqualTo("all");
                        assertThat(((Advised) orders).isFrozen()).isFalse();
                        String client = context.getBeanNamesForType(LockClient.class)[0];
                        assertThat(context.getBeanFactory().getDependentBeans(client))
                                .as("beans that end before the client")
                                .contains(context.getBeanNamesForType(Orders.class));
                    });
        }
    }

    @HttpExchange("/items")
    @DistributedLock("items:#{#id}")
    interface Items {
        @GetExchange("/{id}")
        String get(@PathVariable String id);
    }

    /** Answers each request with the name of the lock under which it is sent. */
    record Answers() implements HttpExchangeAdapter {
        @Override
        public boolean supportsRequestAttributes() {
            return true;
        }

        @Override
        public void exchange(HttpRequestValues request) {}

        @Override
        public HttpHeaders exchangeForHeaders(HttpRequestValues request) {
            return HttpHeaders.EMPTY;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> @Nullable T exchangeForBody(HttpRequestValues request, ParameterizedTypeReference<T> type) {
            return (T) held();
        }

        @Override
        public ResponseEntity<Void> exchangeForBodilessEntity(HttpRequestValues request) {
            return ResponseEntity.noContent().build();
        }

        @Override
        public <T> ResponseEntity<T> exchangeForEntity(HttpRequestValues request, ParameterizedTypeReference<T> type) {
            return ResponseEntity.noContent().build();
        }
    }

    @Test
    void clientOfAnHttpServiceIsLocked() {
        for (boolean proxiesOfClasses : new boolean[] {true, false}) {
            application(proxiesOfClasses)
                    .withBean(
                            Items.class,
                            () -> HttpServiceProxyFactory.builderFor(new Answers())
                                    .build()
                                    .createClient(Items.class))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context.getBean(Items.class).get("7")).isEqualTo("items:7");
                    });
        }
    }

    interface Plain {
        String run();
    }

    static class Hidden implements Plain {
        @Override
        @DistributedLock("hidden")
        public String run() {
            return held();
        }
    }

    /** Spring makes a proxy for the class of the bean, which is that of the first proxy. */
    @Test
    void proxyThatHidesAnAnnotatedClassIsRefused() {
        application(true)
                .withBean(Plain.class, () -> (Plain) new ProxyFactory(new Hidden()).getProxy())
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = new LockFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis).isNotNull();
                    assertThat(analysis.getDescription()).contains("Hidden.run()", "hides the annotated class");
                });
    }
}
