// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.springframework.context.ApplicationContext;

/** Requests to an application under test. */
final class HttpRequests {
    private HttpRequests() {}

    static HttpResponse<String> get(ApplicationContext application, String path) throws Exception {
        return send(application, "GET", path);
    }

    static HttpResponse<String> send(ApplicationContext application, String method, String path)
            throws IOException, InterruptedException {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        // one connection per request, because on some kernels Netty's native transport leaves a later request unread
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Slack.seconds(30))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
