// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.testkit.wait.Await;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.concurrent.ThreadPoolExecutorFactoryBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** The client closes last. */
class ShutdownOrderTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withPropertyValues("boltwork.backend=memory");

    static class Stock {
        @DistributedLock("stock")
        public String count() {
            return "counted";
        }

        @DistributedLock("stock")
        public String close(LockClient client) {
            client.close();
            return "closed";
        }
    }

    static class Said {
        final List<String> words = new CopyOnWriteArrayList<>();
    }

    static class Till implements DisposableBean {
        private final Stock stock;
        private final Said said;

        Till(Stock stock, Said said) {
            this.stock = stock;
            this.said = said;
        }

        @Override
        public void destroy() {
            said.words.add(stock.count());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Shop {
        @Bean
        Stock stock() {
            return new Stock();
        }

        @Bean
        Said said() {
            return new Said();
        }

        @Bean
        Till till(Stock stock, Said said) {
            return new Till(stock, said);
        }

        @Bean
        ThreadPoolTaskExecutor workers() {
            return waiting();
        }

        @Bean
        @Lazy
        ThreadPoolTaskExecutor lazyWorkers() {
            return waiting();
        }

        /** Its product is no bean of its own. */
        @Bean
        ThreadPoolExecutorFactoryBean factory() {
            ThreadPoolExecutorFactoryBean factory = new ThreadPoolExecutorFactoryBean();
            factory.setWaitForTasksToCompleteOnShutdown(true);
            factory.setAwaitTerminationSeconds(30);
            return factory;
        }

        private static ThreadPoolTaskExecutor waiting() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setWaitForTasksToCompleteOnShutdown(true);
            executor.setAwaitTerminationSeconds(30);
            return executor;
        }
    }

    @Test
    void beansAndExecutorsAreDestroyedBeforeTheClient() {
        List<CompletableFuture<String>> counted = new CopyOnWriteArrayList<>();
        List<List<String>> said = new CopyOnWriteArrayList<>();
        application.withUserConfiguration(Shop.class).run(context -> {
            Stock stock = context.getBean(Stock.class);
            said.add(context.getBean(Said.class).words);
            for (String name : List.of("workers", "lazyWorkers")) {
                ThreadPoolTaskExecutor executor = context.getBean(name, ThreadPoolTaskExecutor.class);
                counted.add(countedInShutdown(executor.getThreadPoolExecutor(), stock));
            }
            counted.add(countedInShutdown(context.getBean("factory", ExecutorService.class), stock));
        });
        assertThat(said.get(0)).containsExactly("counted");
        assertThat(counted)
                .hasSize(3)
                .allSatisfy(each -> assertThat(each.get(5, TimeUnit.SECONDS)).isEqualTo("counted"));
    }

    private static CompletableFuture<String> countedInShutdown(ExecutorService executor, Stock stock) {
        return CompletableFuture.supplyAsync(
                () -> {
                    Await.until("it is being destroyed", executor::isShutdown);
                    return stock.count();
                },
                executor);
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {
        @Bean
        ThreadPoolTaskExecutor ears() {
            return Shop.waiting();
        }

        @Bean
        LockListener listener(ThreadPoolTaskExecutor ears) {
            return new LockListener() {};
        }
    }

    @Test
    void beansThatTheClientNeedsOutliveIt() {
        application
                .withUserConfiguration(Listening.class)
                .run(context -> assertThat(context.getBeanFactory().getDependentBeans("boltworkLockClient"))
                        .doesNotContain("ears", "listener"));
    }

    @Test
    void methodLearnsThatItsClientWasClosed() {
        application.withBean(Stock.class).run(context -> {
            Stock stock = context.getBean(Stock.class);
            LockClient client = context.getBean(LockClient.class);
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> stock.close(client))
                    .satisfies(lost -> assertThat(lost.loss().reason()).isEqualTo(LeaseLoss.Reason.CLOSED));
        });
    }
}
