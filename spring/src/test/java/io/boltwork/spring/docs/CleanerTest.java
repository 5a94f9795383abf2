// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Leadership;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

/** The job of the leader behaves as docs/start/spring.md says. */
@SpringBootTest(
        properties = {
            "boltwork.backend=memory",
            "boltwork.leader.lock=cleaner",
            "spring.datasource.url=jdbc:h2:mem:docs"
        })
@Import(Cleaner.class)
class CleanerTest {

    @Test
    void onlyTheLeaderCleans(@Autowired Cleaner cleaner, @Autowired Leadership leadership) {
        Await.until("it leads", () -> !cleaner.done().isEmpty());
        long token = leadership.lease().orElseThrow().fencingToken();
        cleaner.cleanUp();
        leadership.yieldFor(Duration.ofHours(1));
        Await.until("it has ended", () -> cleaner.done().contains("close"));
        cleaner.cleanUp();
        assertThat(cleaner.done()).containsExactly("open " + token, "clean " + token, "close");
    }
}
