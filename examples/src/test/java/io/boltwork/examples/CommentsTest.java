// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A comment begins with a verb that says what changes, or with a noun. */
class CommentsTest {
    /** Verbs that do not say what changes. */
    private static final Set<String> VAGUE = Set.of("Handles", "Notes");

    private static final Set<String> QUESTIONS =
            Set.of("Who", "Whoever", "Whom", "Whose", "What", "Whatever", "Nobody", "Somebody", "How", "Why", "Where");

    @Test
    void commentsBeginWithAVerbOrANoun() throws IOException {
        List<Comments.Comment> comments = Comments.all(Path.of(".."));
        List<Comments.Comment> questions = comments.stream()
                .filter(comment -> QUESTIONS.contains(comment.opening()))
                .toList();
        List<Comments.Comment> vague = comments.stream()
                .filter(comment -> VAGUE.contains(comment.opening()))
                .toList();
        System.out.printf("%,d comments, %d begin vaguely%n", comments.size(), vague.size());
        assertThat(comments).hasSizeGreaterThan(3_000);
        assertThat(questions).isEmpty();
        assertThat(vague).hasSizeLessThan(20);
    }
}
