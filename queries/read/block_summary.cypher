MATCH (b:Block {id: $id}) RETURN b.title AS title, b.tags AS tags, b.summary AS summary, b.keypoints AS keypoints
