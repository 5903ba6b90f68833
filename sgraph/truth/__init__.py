"""What is true, since when and who said so: slots, their time-lines, and the decisions that change them."""
