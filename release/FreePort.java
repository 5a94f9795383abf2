// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.net.ServerSocket;

/** Prints a free port. */
final class FreePort {
    public static void main(String... args) throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            System.out.println(socket.getLocalPort());
        }
    }
}
