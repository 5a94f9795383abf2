// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.ImageOutputStream;

/**
 * Writes an animated GIF. All pictures share one palette of their most frequent colours, and each one has only the
 * pixels that differ from the one before.
 */
final class AnimatedGif {
    private static final int COLOURS = 255;
    private static final int TRANSPARENT = 255;
    private static final String FORMAT = "javax_imageio_gif_image_1.0";

    private final List<BufferedImage> pictures = new ArrayList<>();
    private final List<Integer> hundredths = new ArrayList<>();

    /**
     * Adds a picture.
     *
     * @param picture the picture, as large as the others
     * @param hundredth for how many hundredths of a second it is shown
     */
    void add(BufferedImage picture, int hundredth) {
        pictures.add(picture);
        hundredths.add(hundredth);
    }

    void write(Path file) throws IOException {
        int[] palette = palette();
        IndexColorModel colours = model(palette);
        Map<Integer, Byte> nearest = new HashMap<>();
        ImageWriter writer = ImageIO.getImageWritersByFormatName("gif").next();
        file.toFile().delete(); // otherwise the end of a longer file would stay
        try (ImageOutputStream out = ImageIO.createImageOutputStream(file.toFile())) {
            writer.setOutput(out);
            writer.prepareWriteSequence(null);
            byte[] before = null;
            for (int i = 0; i < pictures.size(); i++) {
                byte[] now = indexed(pictures.get(i), palette, nearest);
                Rectangle part = before == null ? all() : changed(before, now);
                BufferedImage difference = difference(before, now, part, colours);
                IIOMetadata metadata = writer.getDefaultImageMetadata(new ImageTypeSpecifier(difference), null);
                metadata.setFromTree(FORMAT, tree(metadata, part, hundredths.get(i), i == 0));
                writer.writeToSequence(new IIOImage(difference, null, metadata), null);
                before = now;
            }
            writer.endWriteSequence();
        } finally {
            writer.dispose();
        }
    }

    private int width() {
        return pictures.get(0).getWidth();
    }

    private Rectangle all() {
        return new Rectangle(0, 0, width(), pictures.get(0).getHeight());
    }

    /** Returns the most frequent colours, without the three lowest bits. */
    private int[] palette() {
        Map<Integer, Integer> counts = new HashMap<>();
        for (BufferedImage picture : pictures) {
            for (int pixel : pixels(picture)) {
                counts.merge(pixel & 0xf8f8f8, 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(COLOURS)
                .mapToInt(Map.Entry::getKey)
                .toArray();
    }

    private static int[] pixels(BufferedImage picture) {
        return picture.getRGB(0, 0, picture.getWidth(), picture.getHeight(), null, 0, picture.getWidth());
    }

    private static IndexColorModel model(int[] palette) {
        byte[][] parts = new byte[3][256];
        for (int i = 0; i < palette.length; i++) {
            for (int part = 0; part < 3; part++) {
                int value = palette[i] >> (16 - 8 * part) & 0xff;
                parts[part][i] = (byte) (value | value >> 5); // the three lowest bits, so that white is white
            }
        }
        return new IndexColorModel(8, 256, parts[0], parts[1], parts[2], TRANSPARENT);
    }

    private static byte[] indexed(BufferedImage picture, int[] palette, Map<Integer, Byte> nearest) {
        int[] pixels = pixels(picture);
        byte[] indexes = new byte[pixels.length];
        for (int i = 0; i < pixels.length; i++) {
            indexes[i] = nearest.computeIfAbsent(pixels[i] & 0xf8f8f8, colour -> nearest(colour, palette));
        }
        return indexes;
    }

    private static byte nearest(int colour, int[] palette) {
        int best = 0;
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < palette.length; i++) {
            int distance = 0;
            for (int shift = 0; shift <= 16; shift += 8) {
                int difference = (colour >> shift & 0xff) - (palette[i] >> shift & 0xff);
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return (byte) best;
    }

    private Rectangle changed(byte[] before, byte[] now) {
        Rectangle part = null;
        for (int i = 0; i < now.length; i++) {
            if (before[i] != now[i]) {
                Rectangle pixel = new Rectangle(i % width(), i / width(), 1, 1);
                part = part == null ? pixel : part.union(pixel);
            }
        }
        return part == null ? new Rectangle(0, 0, 1, 1) : part;
    }

    private BufferedImage difference(byte[] before, byte[] now, Rectangle part, IndexColorModel colours) {
        BufferedImage image = new BufferedImage(part.width, part.height, BufferedImage.TYPE_BYTE_INDEXED, colours);
        byte[] row = new byte[part.width];
        for (int y = 0; y < part.height; y++) {
            int from = (part.y + y) * width() + part.x;
            System.arraycopy(now, from, row, 0, part.width);
            for (int x = 0; before != null && x < part.width; x++) {
                if (before[from + x] == now[from + x]) {
                    row[x] = (byte) TRANSPARENT;
                }
            }
            image.getRaster().setDataElements(0, y, part.width, 1, row);
        }
        return image;
    }

    private static IIOMetadataNode tree(IIOMetadata metadata, Rectangle part, int hundredth, boolean first) {
        IIOMetadataNode root = (IIOMetadataNode) metadata.getAsTree(FORMAT);
        IIOMetadataNode place = child(root, "ImageDescriptor");
        place.setAttribute("imageLeftPosition", Integer.toString(part.x));
        place.setAttribute("imageTopPosition", Integer.toString(part.y));
        IIOMetadataNode control = child(root, "GraphicControlExtension");
        control.setAttribute("disposalMethod", "doNotDispose");
        control.setAttribute("userInputFlag", "FALSE");
        control.setAttribute("transparentColorFlag", "TRUE");
        control.setAttribute("transparentColorIndex", Integer.toString(TRANSPARENT));
        control.setAttribute("delayTime", Integer.toString(hundredth));
        if (first) {
            IIOMetadataNode loop = new IIOMetadataNode("ApplicationExtension");
            loop.setAttribute("applicationID", "NETSCAPE");
            loop.setAttribute("authenticationCode", "2.0");
            loop.setUserObject(new byte[] {1, 0, 0}); // for ever
            child(root, "ApplicationExtensions").appendChild(loop);
        }
        return root;
    }

    private static IIOMetadataNode child(IIOMetadataNode root, String name) {
        for (int i = 0; i < root.getLength(); i++) {
            if (root.item(i).getNodeName().equals(name)) {
                return (IIOMetadataNode) root.item(i);
            }
        }
        IIOMetadataNode node = new IIOMetadataNode(name);
        root.appendChild(node);
        return node;
    }

    @Override
    public String toString() {
        return pictures.size() + " pictures, shown for " + Arrays.toString(hundredths.toArray());
    }
}
